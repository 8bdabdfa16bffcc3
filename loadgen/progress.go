package loadgen

import (
	"sync/atomic"
	"time"
)

// Phase is the current activity of a test.
type Phase int32

// The phases, in order.
const (
	PhaseIdle Phase = iota
	PhaseLoading
	PhaseWarmUp
	PhaseIssuing
	PhaseDraining // waiting for outstanding completions
	PhaseWriting
	PhaseDone
)

// ProgressSnapshot is the state of a running test.
type ProgressSnapshot struct {
	Phase       Phase
	Mode        Mode // mode of the current series: AccuracyOnly or PerformanceOnly
	Elapsed     time.Duration
	MinDuration time.Duration
	Queries     uint64 // issued in this series
	MinQueries  uint64
	Planned     uint64 // samples generated for this series
	Issued      uint64 // samples
	Done        uint64 // samples
	// Latency is the latency at the target percentile of the samples done so far, or 0 before the first completion. The
	// snapshot computes it from up to 2,048 samples spread over those done.
	Latency      time.Duration
	LatencyLimit time.Duration // 0: none
	Tokens       TokenProgress
	// Hopeless is the reason why the run can only end INVALID; it is empty while it may end VALID.
	Hopeless string
}

// Progress shows a running test. StartTest stores only pointers and counters in it, and the goroutine that takes a
// snapshot computes its values. A Progress serves one test at a time.
type Progress struct {
	phase  atomic.Int32
	series atomic.Pointer[shownSeries]
	// hopeless is ProgressSnapshot.Hopeless; nil means empty.
	hopeless atomic.Pointer[string]
	driver   atomic.Pointer[func() ProgressSnapshot]
	last     atomic.Pointer[shownSeries] // the end of the readers' list of series; nil if there are no readers
}

// Follow makes Snapshot return another driver's snapshots. It is safe for concurrent use.
func (p *Progress) Follow(snapshot func() ProgressSnapshot) { p.driver.Store(&snapshot) }

// shownSeries is the series described by snapshots. x is nil while the samples are loaded.
type shownSeries struct {
	limits   EffectiveSettings
	accuracy bool
	x        *queryIssuer
	ended    atomic.Int64                // in ns; 0 while it runs
	next     atomic.Pointer[shownSeries] // for readers
}

// enterPhase advances to a phase. It ignores earlier phases, because an abandoned call into the SUT may return after
// the test's end.
func (p *Progress) enterPhase(phase Phase) {
	if s := p.series.Load(); s != nil && phase == PhaseWriting && s.x != nil {
		s.ended.CompareAndSwap(0, s.x.clock.Now())
	}
	for {
		now := p.phase.Load()
		if now >= int32(phase) || p.phase.CompareAndSwap(now, int32(phase)) {
			return
		}
	}
}

// Phase returns the current activity of the test. It is safe for concurrent use and costs one atomic read.
func (p *Progress) Phase() Phase {
	if other := p.driver.Load(); other != nil {
		return (*other)().Phase
	}
	return Phase(p.phase.Load())
}

// resetTest removes the data of the previous test.
func (p *Progress) resetTest() {
	p.series.Store(nil)
	p.hopeless.Store(nil)
	p.driver.Store(nil)
	p.phase.Store(int32(PhaseIdle))
}

// beginLoading begins a series.
func (p *Progress) beginLoading(limits EffectiveSettings, accuracy bool) {
	p.series.Store(&shownSeries{limits: limits, accuracy: accuracy})
	p.phase.Store(int32(PhaseLoading))
}

// beginClock records that x's clock runs.
func (p *Progress) beginClock(x *queryIssuer) {
	s := &shownSeries{limits: x.limits, accuracy: x.accuracy, x: x}
	p.series.Store(s)
	p.chainSeries(s)
	p.enterPhase(PhaseIssuing)
}

// Snapshot returns the state of the test, or a zero value before a test. It is safe for concurrent use.
func (p *Progress) Snapshot() ProgressSnapshot {
	if other := p.driver.Load(); other != nil {
		return (*other)()
	}
	out := ProgressSnapshot{Phase: Phase(p.phase.Load())}
	if why := p.hopeless.Load(); why != nil {
		out.Hopeless = *why
	}
	s := p.series.Load()
	if s == nil {
		return out
	}
	out.Mode = PerformanceOnly
	if s.accuracy {
		out.Mode = AccuracyOnly
	} else {
		out.MinDuration, out.MinQueries = s.limits.MinDuration, s.limits.MinQueryCount
	}
	out.LatencyLimit = s.limits.TargetLatency
	if s.x != nil {
		s.fillSnapshot(&out)
	}
	return out
}

// fillSnapshot fills in the series' measurements so far.
func (s *shownSeries) fillSnapshot(out *ProgressSnapshot) {
	x := s.x
	out.Elapsed = time.Duration(s.ended.Load())
	if out.Elapsed == 0 {
		out.Elapsed = time.Duration(x.clock.Now())
	}
	out.Planned = uint64(x.plan.Total())
	out.Done = x.rec.Completed()
	out.Issued = x.rec.Issued() // read after Done, so it is not smaller
	out.Queries = out.Issued / uint64(x.plan.SamplesPerQuery)
	out.Latency = x.latencyEstimate(out.Issued, s.limits.TargetLatencyPercentile)
	out.Tokens = x.tokenProgress(out.Issued, out.Done, out.Elapsed, s.limits.TargetLatencyPercentile)
}

const maxSampled = 2048

// latencyEstimate estimates a percentile of the latencies of the first n samples from some of them.
func (x *queryIssuer) latencyEstimate(n uint64, percentile float64) time.Duration {
	perQuery := uint64(x.plan.SamplesPerQuery)
	step := max(1, (n+maxSampled-1)/maxSampled)
	latencies := make([]int64, 0, maxSampled)
	for i := uint64(0); i < n; i += step {
		if at := x.rec.Done(i); at != 0 {
			latencies = append(latencies, at-x.scheduled[i/perQuery])
		}
	}
	return atPercentile(latencies, percentile)
}
