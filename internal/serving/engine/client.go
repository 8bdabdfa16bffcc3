package engine

import (
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// ClientUsage is the load on the client during a measurement. If the client is the bottleneck, the figures describe it,
// not the server.
type ClientUsage struct {
	// CPU is the processor time of all threads of this process during the measurement; 0: the system does not report it.
	// Cores is the number of cores that the process may use. Share is the used share of their time.
	CPU   time.Duration
	Cores int
	Share float64
	// QueueP99 is the 99th percentile of Sent - Due over the requests of the window. ReadP99 is the 99th percentile of the
	// longest time from a read to its record.
	QueueP99, ReadP99 time.Duration
	// GCs is the number of garbage collections. GCPause is the sum of their pauses, GCLongest the longest pause.
	GCs                int
	GCPause, GCLongest time.Duration
	// Retries is the number of repeated requests.
	Retries int64
}

// ClientLoad returns the client's load in the form in which package metrics judges whether the client limited the
// figures.
func (c ClientUsage) ClientLoad(p arrival.Pattern) metrics.ClientLoad {
	m := metrics.ClientLoad{CPU: c.Share, Capped: p.Kind != arrival.Users && p.Users > 0}
	if p.Kind == arrival.Users && p.Think == 0 && !p.Sessions {
		m.Users = p.Users
	}
	return m
}

// processMeter measures the processor time and garbage collections of this process.
type processMeter struct {
	started, stopped time.Time
	cpu              [2]time.Duration
	gc               [2]debug.GCStats
}

func (m *processMeter) start() {
	m.started, m.cpu[0] = time.Now(), processTime()
	debug.ReadGCStats(&m.gc[0])
}

func (m *processMeter) stop() {
	m.stopped, m.cpu[1] = time.Now(), processTime()
	debug.ReadGCStats(&m.gc[1])
}

// clientUsage returns the client's load during the measurement of a point.
func (m *processMeter) clientUsage(p *MeasuredPoint) ClientUsage {
	c := ClientUsage{Cores: runtime.GOMAXPROCS(0)}
	if m.started.IsZero() {
		return c
	}
	c.CPU = m.cpu[1] - m.cpu[0]
	if took := m.stopped.Sub(m.started); took > 0 {
		c.Share = float64(c.CPU) / (float64(took) * float64(c.Cores))
	}
	c.GCs = int(m.gc[1].NumGC - m.gc[0].NumGC)
	c.GCPause = m.gc[1].PauseTotal - m.gc[0].PauseTotal
	for _, p := range m.gc[1].Pause[:min(c.GCs, len(m.gc[1].Pause))] {
		c.GCLongest = max(c.GCLongest, p)
	}
	c.SetWaits(p.Requests, p.Window)
	return c
}

// SetWaits sets QueueP99 and ReadP99 from the requests of a window. If w is nil, it uses all requests.
func (c *ClientUsage) SetWaits(requests []metrics.Request, w *metrics.Window) {
	var queued, read []int64
	for i := range requests {
		if r := &requests[i]; !r.WarmUp && (w == nil || w.Has(r.Due)) {
			queued, read = append(queued, r.Sent-r.Due), append(read, r.Read)
		}
	}
	c.QueueP99, c.ReadP99 = percentile99(queued), percentile99(read)
}

// percentile99 returns the 99th percentile by LoadGen's rank rule.
func percentile99(values []int64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return time.Duration(values[min(len(values)*99/100, len(values)-1)])
}
