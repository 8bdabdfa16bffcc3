package series

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// FromRequests makes the file of a measured server from the records of its requests, in the order of their due times,
// beginning at start. Latency is the time to the last token. Warm-up requests and requests that the client cancelled
// are omitted; failed requests are unanswered.
func FromRequests(requests []metrics.Request, rules metrics.FigureRules, start time.Time) *File {
	s := servedRequests{start: start}
	all := make([]metrics.Measured, 0, len(requests))
	for i := range requests {
		m := metrics.MeasureRequest(&requests[i], rules)
		if m.WarmUp || m.Found == metrics.Cancelled {
			continue
		}
		all = append(all, m)
		if m.Found == metrics.OK {
			s.answered = append(s.answered, &all[len(all)-1])
			_, first := m.Value(metrics.TTFT)
			s.firsts = s.firsts || first
			s.tokens = s.tokens || m.Out > 0
		}
	}
	f := FromSource(&s)
	f.Samples, f.Queries, f.Unanswered = len(all), len(all), len(all)-len(s.answered)
	f.Lengths = lengthsOf(s.answered)
	f.Rates.countOutstanding(all)
	f.Rates.countStreamed(s.answered)
	return f
}

// servedRequests is a Source with the answered requests.
type servedRequests struct {
	answered       []*metrics.Measured
	start          time.Time
	firsts, tokens bool
}

func (s *servedRequests) Start() time.Time     { return s.start }
func (s *servedRequests) Samples() int         { return len(s.answered) }
func (s *servedRequests) SamplesPerQuery() int { return 1 }
func (s *servedRequests) HasTokens() bool      { return s.tokens }
func (s *servedRequests) HasFirstTokens() bool { return s.firsts }

// Slot returns times from 0 on. A request that a closed loop sent earlier is moved to 0.
func (s *servedRequests) Slot(i int) loadgen.Slot {
	m := s.answered[i]
	moved := max(0, -m.Due)
	out := loadgen.Slot{
		Sample: uint64(i), Query: uint64(i), Scheduled: m.Due + moved, Issued: m.Sent + moved, Done: m.DoneAt() + moved,
		Tokens: uint32(max(0, m.Out)),
	}
	if ttft, ok := m.Value(metrics.TTFT); ok {
		out.FirstToken = max(1, out.Scheduled+int64(ttft))
	}
	return out
}

// countOutstanding counts the requests at the server again. Failed requests count until their failure.
func (r *Rates) countOutstanding(all []metrics.Measured) {
	n := int64(len(r.Outstanding))
	if n == 0 {
		return
	}
	changes := make([]int64, n*countsPerStep+1)
	part := max(1, (r.Step+countsPerStep-1)/countsPerStep)
	look := func(at int64) int64 {
		at = max(0, at)
		return min(at/r.Step*countsPerStep+min(at%r.Step/part, countsPerStep-1), n*countsPerStep)
	}
	for i := range all {
		m := &all[i]
		end := m.End
		if m.Found == metrics.OK {
			end = m.DoneAt()
		}
		if sent := max(m.Sent, m.Due); end >= sent {
			changes[look(sent)]++
			changes[look(end)]--
		}
	}
	r.setOutstanding(changes[:n*countsPerStep])
}

// countStreamed counts tokens at the times of their events: by the events' ids, or else in equal parts for all events.
func (r *Rates) countStreamed(answered []*metrics.Measured) {
	n := int64(len(r.Samples))
	if n == 0 || r.Tokens == nil {
		return
	}
	r.Streamed = make([]int64, n)
	for _, m := range answered {
		if m.Out < 1 {
			continue
		}
		k, events := int64(0), int64(m.Events.Len())
		for e := range m.Events.All() {
			tokens := int64(e.IDs)
			if m.By != metrics.ByIDs {
				tokens = m.Out*(k+1)/events - m.Out*k/events
			}
			k++
			r.Streamed[min(max(0, e.At)/r.Step, n-1)] += tokens
		}
	}
}
