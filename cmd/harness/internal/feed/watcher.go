package feed

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
)

// The interval of the readings of a run, the number of readings per distribution event, and the maximum number of
// samples per reading. This is half a million samples per second, for about 5 ms of processor time. The rest is read at
// the end of the run.
const (
	readInterval         = 500 * time.Millisecond
	readsPerDistribution = 5
	maxSamplesPerRead    = 1 << 18
)

// runWatcher reads the progress of one run.
type runWatcher struct {
	feed     *Feed
	run      int
	progress *loadgen.Progress
	reader   *loadgen.Reader
	limits   StartData
	window   windowTally

	began    time.Time
	lastRead time.Duration // time of the last reading, since began
	counts   loadgen.Counts
}

func (w *runWatcher) readLoop(done <-chan struct{}) {
	tick := time.NewTicker(readInterval)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
			w.readNew(maxSamplesPerRead, n%readsPerDistribution == 0)
		case <-done:
			w.readNew(loadgen.ReadAll, true)
			return
		}
	}
}

// readNew reads the new samples and reports them.
func (w *runWatcher) readNew(maxSamples int, distributed bool) {
	w.reader.Read(maxSamples, &w.window)
	s, counts := w.progress.Snapshot(), w.reader.Counts()
	if counts == (loadgen.Counts{}) { // the official LoadGen reports only totals
		counts = loadgen.Counts{Queries: s.Queries, Issued: s.Issued, Done: s.Done}
	}
	p := &ProgressData{
		Phase: phases[s.Phase], ElapsedS: s.Elapsed.Seconds(), Hopeless: s.Hopeless,
		Queries: counts.Queries, Issued: counts.Issued, Done: counts.Done, Read: counts.Read,
	}
	if left, ok := live.EstimateRemaining(s); ok && s.Phase < loadgen.PhaseWriting {
		seconds := left.Seconds()
		p.RemainingS = &seconds
	}
	p.Window = w.endWindow(counts)
	var d *DistributionData
	w.feed.updateRun(func(r *Run) {
		r.Phase, r.Elapsed, r.Counts = p.Phase, s.Elapsed, counts
		r.mergeTally(&w.window.sampleTally)
		w.fillTotals(p, r)
		if distributed && r.Latency.N > 0 {
			d = toDistribution(&r.Latency)
		}
	})
	w.window.resetTally()
	w.feed.sendEvent(Event{Name: NameProgress, Run: w.run, Progress: p})
	if d != nil {
		w.feed.sendEvent(Event{Name: NameDistribution, Run: w.run, Distribution: d})
	}
}

// fillTotals sets the figures of the whole run.
func (w *runWatcher) fillTotals(p *ProgressData, r *Run) {
	p.Outstanding, p.Tokens, p.OverLimit = r.Outstanding(), r.Tokens, r.OverLimit
	at := w.limits.Percentile
	p.Latency, p.TTFT, p.TPOT = toPercentiles(&r.Latency, at), toPercentiles(&r.TTFT, at), toPercentiles(&r.TPOT, at)
}

// endWindow ends the current window and returns its measurements. counts are the totals up to now.
func (w *runWatcher) endWindow(counts loadgen.Counts) WindowData {
	now, t, at := time.Since(w.began), &w.window, w.limits.Percentile
	out := WindowData{
		FromS: w.lastRead.Seconds(), ToS: now.Seconds(),
		Latency: toPercentiles(&t.Latency, at), QueryLatency: toPercentiles(&t.QueryLatency, at),
		IssueDelay: toPercentiles(&t.IssueDelay, at),
		TTFT:       toPercentiles(&t.TTFT, at), TPOT: toPercentiles(&t.TPOT, at),
	}
	if took := (now - w.lastRead).Seconds(); took > 0 {
		out.QueriesPerSec = float64(counts.Queries-min(w.counts.Queries, counts.Queries)) / took
		out.SamplesPerSec = float64(counts.Done-min(w.counts.Done, counts.Done)) / took
		out.TokensPerSec = float64(t.Tokens) / took
	}
	w.lastRead, w.counts = now, counts
	return out
}
