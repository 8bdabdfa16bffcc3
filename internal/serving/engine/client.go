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
	// CPU is the processor time of this process in the measurement, all threads together; Cores is how many it may use,
	// and Share the part of their time that it took. CPU is 0 where the system does not tell.
	CPU   time.Duration
	Cores int
	Share float64
	// QueueP99 is the 99th percentile of Sent - Due, ReadP99 that of the longest time from a read to its record, of the
	// requests of the window.
	QueueP99, ReadP99 time.Duration
	// GCs is how many collections of garbage there were, GCPause how long all stood still for them, GCLongest at once.
	GCs                int
	GCPause, GCLongest time.Duration
	// Retries is how often a request was sent again.
	Retries int64
}

// AsLoad is what figures of a load are doubted by.
func (c ClientUsage) AsLoad(p arrival.Pattern) metrics.ClientLoad {
	m := metrics.ClientLoad{CPU: c.Share, Capped: p.Kind != arrival.Users && p.Users > 0}
	if p.Kind == arrival.Users && p.Think == 0 && !p.Sessions {
		m.Users = p.Users
	}
	return m
}

// processMeter watches the process.
type processMeter struct {
	began, ended time.Time
	cpu          [2]time.Duration
	gc           [2]debug.GCStats
}

func (m *processMeter) startMeter() {
	m.began, m.cpu[0] = time.Now(), processTime()
	debug.ReadGCStats(&m.gc[0])
}

func (m *processMeter) stopMeter() {
	m.ended, m.cpu[1] = time.Now(), processTime()
	debug.ReadGCStats(&m.gc[1])
}

// clientUsage is what was seen while a point was measured.
func (m *processMeter) clientUsage(p *MeasuredPoint) ClientUsage {
	c := ClientUsage{Cores: runtime.GOMAXPROCS(0)}
	if m.began.IsZero() {
		return c
	}
	c.CPU = m.cpu[1] - m.cpu[0]
	if took := m.ended.Sub(m.began); took > 0 {
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

// SetWaits sets QueueP99 and ReadP99 by the requests of a window; nil: of all.
func (c *ClientUsage) SetWaits(requests []metrics.Request, w *metrics.Window) {
	var queued, read []int64
	for i := range requests {
		if r := &requests[i]; !r.WarmUp && (w == nil || w.Has(r.Due)) {
			queued, read = append(queued, r.Sent-r.Due), append(read, r.Read)
		}
	}
	c.QueueP99, c.ReadP99 = percentile99(queued), percentile99(read)
}

// percentile99 is the 99th percentile by LoadGen's rank.
func percentile99(values []int64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return time.Duration(values[min(len(values)*99/100, len(values)-1)])
}
