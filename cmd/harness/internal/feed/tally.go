package feed

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// tally is what was measured of the samples and queries of a run, or of a part of it.
type tally struct {
	Latency, QueryLatency, IssueDelay, TTFT, TPOT Histogram

	Tokens    uint64
	OverLimit uint64 // samples above a limit
}

// merge adds o.
func (t *tally) merge(o *tally) {
	for i, h := range t.all() {
		h.Merge(o.all()[i])
	}
	t.Tokens += o.Tokens
	t.OverLimit += o.OverLimit
}

// reset empties it, and keeps its memory.
func (t *tally) reset() {
	for _, h := range t.all() {
		h.Reset()
	}
	t.Tokens, t.OverLimit = 0, 0
}

func (t *tally) all() [5]*Histogram {
	return [5]*Histogram{&t.Latency, &t.QueryLatency, &t.IssueDelay, &t.TTFT, &t.TPOT}
}

// window tallies what came since the last look.
type window struct {
	tally
	scenario            loadgen.Scenario
	latency, ttft, tpot time.Duration // the limits; 0: none
}

// Sample implements loadgen.Visitor.
func (w *window) Sample(m loadgen.Measured) {
	w.Latency.Add(m.Latency)
	over := w.latency > 0 && m.Latency > w.latency
	if m.TTFT > 0 {
		w.TTFT.Add(m.TTFT)
		w.TPOT.Add(m.TPOT())
		over = over || w.ttft > 0 && (m.TTFT > w.ttft || m.TPOT() > w.tpot)
	}
	w.Tokens += uint64(m.Tokens)
	if over {
		w.OverLimit++
	}
}

// Query implements loadgen.Visitor.
func (w *window) Query(latency, delay time.Duration) {
	switch w.scenario {
	case loadgen.MultiStream:
		w.QueryLatency.Add(latency)
	case loadgen.Server:
		w.IssueDelay.Add(delay)
	}
}
