package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// addProbe returns a SUT that, after warming up, asks for one sample of its own, and for a few more if that one takes
// too long. It does so for smoke runs with a latency limit if no earlier run has shown how long a sample takes. A limit
// that cannot be met is then reported before the run.
func (r *runner) addProbe(p *plan.Plan, t plan.Run, rec *record.Run, w plugin.Workload) (loadgen.SUT, loadgen.QSL) {
	ordered := len(w.Info().Order) > 0 // its samples are handed out only once
	if !isPredictable(p, t) || r.streamed || ordered {
		return w.SUT(), w.QSL()
	}
	q := &sampleProbe{SUT: w.SUT(), QSL: w.QSL(), beyond: t.Settings.Beyond, report: func(text string) {
		rec.Notes = append(rec.Notes, record.Finding{About: aboutLimit, Text: text})
		r.note(r.hideSecrets(text) + "\n")
	}}
	return q, probedQSL{q.QSL, q}
}

// maxProbes is the maximum number of samples to ask for. The first samples of a session may be slow.
const maxProbes = 4

// sampleProbe is a SUT that asks for samples after it has warmed up.
type sampleProbe struct {
	loadgen.SUT
	QSL    loadgen.QSL
	beyond func(settings.Alone) string // describes the limit that the samples miss; "": none
	report func(text string)

	loaded []loadgen.SampleIndex // the samples to ask for; empty: none is loaded
	probed bool
}

// probedQSL tells the probe which samples are loaded.
type probedQSL struct {
	loadgen.QSL
	probe *sampleProbe
}

// LoadSamplesToRAM implements loadgen.QSL.
func (q probedQSL) LoadSamplesToRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	q.probe.loaded = append(q.probe.loaded[:0], indices[:min(len(indices), maxProbes)]...)
	return q.QSL.LoadSamplesToRAM(ctx, indices)
}

// WarmUp implements loadgen.Warmer.
func (q *sampleProbe) WarmUp(ctx context.Context) error {
	if w, ok := q.SUT.(loadgen.Warmer); ok {
		if err := w.WarmUp(ctx); err != nil {
			return err
		}
	}
	if q.probed {
		return nil
	}
	q.probed = true
	var best settings.Alone
	for n, i := range q.loaded {
		a, err := q.ask(ctx, i)
		if err != nil {
			return err
		}
		if n == 0 {
			best = a
		}
		best = minTimes(best, a)
		if q.beyond(best) == "" {
			return nil
		}
	}
	if len(q.loaded) > 0 {
		best.Took = fmt.Sprintf("the quickest of %s before it took", figure.Plural(len(q.loaded), "sample"))
		q.report(q.beyond(best))
	}
	return nil
}

// minTimes returns the minimum of each time.
func minTimes(a, b settings.Alone) settings.Alone {
	return settings.Alone{
		Mean: min(a.Mean, b.Mean), Latency: min(a.Latency, b.Latency), FirstToken: min(a.FirstToken, b.FirstToken),
		PerToken: min(a.PerToken, b.PerToken),
	}
}

// ask asks for one sample and waits for its answer or for the end of ctx.
func (q *sampleProbe) ask(ctx context.Context, i loadgen.SampleIndex) (settings.Alone, error) {
	a := &probeAnswer{begun: time.Now(), done: make(chan struct{})}
	err := q.IssueQuery(ctx, loadgen.Query{Samples: []loadgen.QuerySample{{Index: i}}}, a)
	if err == nil {
		err = q.FlushQueries(ctx)
	}
	if err != nil {
		return settings.Alone{}, err
	}
	select {
	case <-ctx.Done():
		return settings.Alone{}, context.Cause(ctx)
	case <-a.done:
		return a.latencies(), nil
	}
}

// probeAnswer receives the answer to one sample.
type probeAnswer struct {
	begun time.Time

	mu      sync.Mutex
	first   time.Duration // 0: no first token was reported
	whole   time.Duration
	tokens  int64
	done    chan struct{}
	answers int
}

// FirstTokenComplete implements loadgen.Responder.
func (a *probeAnswer) FirstTokenComplete([]loadgen.QuerySampleResponse) {
	now := time.Since(a.begun)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.first = now
}

// QuerySamplesComplete implements loadgen.Responder.
func (a *probeAnswer) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	now := time.Since(a.begun)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answers += len(rs); len(rs) == 0 || a.answers > len(rs) {
		return
	}
	a.whole, a.tokens = now, rs[0].NTokens
	close(a.done)
}

// latencies returns the times and the tokens of the answer.
func (a *probeAnswer) latencies() settings.Alone {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := settings.Alone{Mean: a.whole, Latency: a.whole, FirstToken: a.first}
	if a.first > 0 && a.tokens > 1 {
		t.PerToken = (a.whole - a.first) / time.Duration(a.tokens-1)
	}
	return t
}
