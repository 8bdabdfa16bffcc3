package loadgen

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// whyHopeless returns the reason why a run with these settings can only end INVALID for any SUT, or "". queries is the
// maximum number of generated queries.
func whyHopeless(e EffectiveSettings, queries uint64) string {
	switch {
	case e.MaxQueryCount > 0 && e.MaxQueryCount < e.MinQueryCount:
		return fmt.Sprintf("max_query_count = %d ends the run before min_query_count = %d is reached",
			e.MaxQueryCount, e.MinQueryCount)
	case e.MaxDuration > 0 && e.MaxDuration < e.MinDuration && !e.Scenario.kindOf().hasOneQuery():
		return fmt.Sprintf("max_duration = %s ends the run before min_duration = %s is reached",
			humanDuration(e.MaxDuration), humanDuration(e.MinDuration))
	}
	most := maxQueries(e, queries)
	if need := minQueries(e); most < need {
		return fmt.Sprintf("at most %s queries are issued, and early stopping needs %s for the %s percentile: "+
			"raise min_query_count",
			groupDigits(most), groupDigits(need), percentileName(e.TargetLatencyPercentile))
	}
	return ""
}

// maxQueries returns how many of the generated queries the limits allow.
func maxQueries(e EffectiveSettings, queries uint64) uint64 {
	if e.MaxQueryCount > 0 {
		return min(e.MaxQueryCount, queries)
	}
	return queries
}

// minQueries returns the minimum number of queries with which early stopping can be met.
func minQueries(e EffectiveSettings) uint64 {
	if e.NoEarlyStopping {
		return 0
	}
	return e.Scenario.kindOf().leastQueries(earlystop.Rules(e.TargetLatencyPercentile))
}

// hopelessFromStart returns, before the first series, the reason why a test's performance run can only end INVALID, or
// "".
func (t *testRun) hopelessFromStart() string {
	if t.effective.Mode == AccuracyOnly || t.effective.Mode == FindPeakPerformance {
		return ""
	}
	var f faultList
	samples := f.checkPerformanceSet(t.settings, t.effective, t.counts)
	return whyHopeless(t.effective, t.effective.Scenario.kindOf().maxGenerated(samples/t.effective.SamplesPerQuery))
}

// runOutlook watches a Server series and detects when it can only end INVALID: more samples are late than early
// stopping forgives, even if all others are on time. It only reads the records, so it does not slow down the issuing
// and answering goroutines.
type runOutlook struct {
	x          *queryIssuer
	maxQueries uint64 // maximum number of queries of the run
	maxLate    uint64 // number of queries that may be late
	limits     []lateCounter
	report     func(why string) // called once
}

// lateCounter counts the samples above one limit.
type lateCounter struct {
	name  string
	limit int64
	// value returns the value of sample i that is compared with the limit. The value may increase until final is true.
	value     func(x *queryIssuer, i uint64, now int64) (v int64, final bool)
	next      uint64   // the first sample not yet examined
	undecided []uint64 // examined samples that may still be on time
	late      uint64
}

// allowedLate returns how many of n queries may be above a limit to meet both the percentile and early stopping.
func allowedLate(e EffectiveSettings, n uint64) uint64 {
	most := n - 1 - uint64(percentileRank(int(n), e.TargetLatencyPercentile))
	if e.NoEarlyStopping {
		return most
	}
	t, _ := earlystop.Rules(e.TargetLatencyPercentile).Forgives(n)
	return min(t, most)
}

func latencySoFar(x *queryIssuer, i uint64, now int64) (v int64, final bool) {
	if done := x.rec.Done(i); done != 0 {
		return done - x.scheduled[i], true
	}
	return now - x.scheduled[i], false
}

func firstTokenSoFar(x *queryIssuer, i uint64, now int64) (v int64, final bool) {
	if first, _ := x.rec.TokensOf(i); first != 0 {
		return first - x.scheduled[i], true
	}
	return now - x.scheduled[i], false
}

func outputTimeSoFar(x *queryIssuer, i uint64, _ int64) (v int64, final bool) {
	first, n := x.rec.TokensOf(i)
	if n == 0 {
		return 0, false
	}
	return (x.rec.Done(i) - first) / int64(n-1), true
}

// watchEvery is the time between two checks of a run.
const watchEvery = 100 * time.Millisecond

// watchRun checks the run until stop is closed or the run is hopeless.
func (o *runOutlook) watchRun(stop <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if o.countLate(o.x.clock.Now()) {
			return
		}
	}
}

// countLate counts the late samples up to now and reports whether the run can only end INVALID.
func (o *runOutlook) countLate(now int64) (hopeless bool) {
	for i := range o.limits {
		l := &o.limits[i]
		l.countLate(o.x, now)
		if l.late > o.maxLate {
			o.report(fmt.Sprintf("%s queries are above the %s limit of %s already, and a run of %s queries forgives %s",
				groupDigits(l.late), l.name, humanDuration(time.Duration(l.limit)), groupDigits(o.maxQueries),
				groupDigits(o.maxLate)))
			return true
		}
	}
	return false
}

func (l *lateCounter) countLate(x *queryIssuer, now int64) {
	still := l.undecided[:0]
	for _, i := range l.undecided {
		if !l.isDecided(x, i, now) {
			still = append(still, i)
		}
	}
	l.undecided = still
	for ; l.next < uint64(x.plan.Queries) && x.rec.HasIssued(l.next); l.next++ {
		if !l.isDecided(x, l.next, now) {
			l.undecided = append(l.undecided, l.next)
		}
	}
}

func (l *lateCounter) isDecided(x *queryIssuer, i uint64, now int64) bool {
	v, final := l.value(x, i, now)
	if v > l.limit {
		l.late++
	}
	return final || v > l.limit
}
