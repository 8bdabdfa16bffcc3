package feed

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// sampleTally contains the measurements of the samples and queries of a run, or of a part of it.
type sampleTally struct {
	Latency, QueryLatency, IssueDelay, TTFT, TPOT Histogram

	Tokens    uint64
	OverLimit uint64 // samples above a limit
}

// mergeTally adds the measurements of o.
func (t *sampleTally) mergeTally(o *sampleTally) {
	for i, h := range t.histograms() {
		h.Merge(o.histograms()[i])
	}
	t.Tokens += o.Tokens
	t.OverLimit += o.OverLimit
}

// resetTally removes all measurements and keeps the memory.
func (t *sampleTally) resetTally() {
	for _, h := range t.histograms() {
		h.Reset()
	}
	t.Tokens, t.OverLimit = 0, 0
}

func (t *sampleTally) histograms() [5]*Histogram {
	return [5]*Histogram{&t.Latency, &t.QueryLatency, &t.IssueDelay, &t.TTFT, &t.TPOT}
}

// windowTally contains the measurements since the last reading.
type windowTally struct {
	sampleTally
	scenario            loadgen.Scenario
	latency, ttft, tpot time.Duration // limits; 0: none
}

// Sample implements loadgen.Visitor.
func (w *windowTally) Sample(m loadgen.Measured) {
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
func (w *windowTally) Query(latency, delay time.Duration) {
	switch w.scenario {
	case loadgen.MultiStream:
		w.QueryLatency.Add(latency)
	case loadgen.Server:
		w.IssueDelay.Add(delay)
	}
}
