package endpoints

import (
	"cmp"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// PassGatherer makes super-passes from the records of requests, by the definitions of the endpoints client. Times count
// from sending. TPOT is the time after the first piece of text divided by the number of tokens after it. Many
// goroutines can add records.
type PassGatherer struct {
	size     int
	rules    metrics.FigureRules
	mu       sync.Mutex
	requests []timedRequest
}

// timedRequest contains a request's values for its super-pass; times below 0 are unknown.
type timedRequest struct {
	sent, last          int64
	ttft, tpot, latency float64
	tokens              int64 // tokens after the first piece of text
}

// NewPassGatherer returns a Gathering for super-passes of size requests each; size is 1 or more.
func NewPassGatherer(size int, rules metrics.FigureRules) *PassGatherer {
	return &PassGatherer{size: max(size, 1), rules: rules}
}

// Add adds a request that has ended. It ignores warm-up requests.
func (g *PassGatherer) Add(r *metrics.Request) {
	if r.WarmUp {
		return
	}
	s := newSample(r, g.rules)
	t := timedRequest{sent: s.Sent, last: s.Sent, ttft: metrics.Unknown, tpot: metrics.Unknown, latency: metrics.Unknown}
	if s.streamed {
		t.last, t.ttft = s.firstText, float64(s.firstText-s.Sent)
	}
	if s.completed {
		t.last, t.latency = s.End, float64(s.End-s.Sent)
		if s.streamed && s.tokensAfterFirst > 0 {
			t.tpot, t.tokens = float64(s.End-s.firstText)/s.tokensAfterFirst, int64(s.tokensAfterFirst)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests = append(g.requests, t)
}

// Len returns the number of added requests.
func (g *PassGatherer) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.requests)
}

// Passes returns the super-passes of the requests added so far, in order of sending. The last one can contain fewer
// requests.
func (g *PassGatherer) Passes() []steady.Pass {
	g.mu.Lock()
	all := slices.Clone(g.requests)
	g.mu.Unlock()
	slices.SortStableFunc(all, func(a, b timedRequest) int { return cmp.Compare(a.sent, b.sent) })
	passes := make([]steady.Pass, 0, (len(all)+g.size-1)/g.size)
	for part := range slices.Chunk(all, g.size) {
		p := steady.Pass{Issued: len(part), FirstIssue: part[0].sent, LastIssue: part[len(part)-1].sent}
		for _, t := range part {
			p.LastEvent = max(p.LastEvent, t.last)
			p.OutTokens += t.tokens
			p.TTFT, p.TPOT, p.Latency = appendKnown(p.TTFT, t.ttft), appendKnown(p.TPOT, t.tpot), appendKnown(p.Latency,
				t.latency)
		}
		passes = append(passes, p)
	}
	return passes
}

// appendKnown appends t unless it is unknown.
func appendKnown(times []float64, t float64) []float64 {
	if t < 0 {
		return times
	}
	return append(times, t)
}
