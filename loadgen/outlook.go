package loadgen

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// whyHopeless says why a run with these settings can only end INVALID whatever the SUT does, or is empty. queries is
// the largest number of queries that may be generated.
func whyHopeless(e EffectiveSettings, queries uint64) string {
	switch {
	case e.MaxQueryCount > 0 && e.MaxQueryCount < e.MinQueryCount:
		return fmt.Sprintf("max_query_count = %d ends the run before min_query_count = %d is reached",
			e.MaxQueryCount, e.MinQueryCount)
	case e.MaxDuration > 0 && e.MaxDuration < e.MinDuration && !e.Scenario.kindOf().oneQuery():
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

// maxQueries is how many of the generated queries a limit lets through.
func maxQueries(e EffectiveSettings, queries uint64) uint64 {
	if e.MaxQueryCount > 0 {
		return min(e.MaxQueryCount, queries)
	}
	return queries
}

// minQueries is the least number of queries from which early stopping may be met.
func minQueries(e EffectiveSettings) uint64 {
	if e.NoEarlyStopping {
		return 0
	}
	return e.Scenario.kindOf().leastQueries(earlystop.Rules(e.TargetLatencyPercentile))
}

// hopelessFromStart says before the first series why a test's performance run can only end INVALID, or is empty.
func (t *testRun) hopelessFromStart() string {
	if t.e.Mode == AccuracyOnly || t.e.Mode == FindPeakPerformance {
		return ""
	}
	var f faultList
	samples := f.checkPerformanceSet(t.s, t.e, t.counts)
	return whyHopeless(t.e, t.e.Scenario.kindOf().mostGenerated(samples/t.e.SamplesPerQuery))
}

// runOutlook watches a Server series for the moment from which it can only end INVALID: too many samples are late for
// early stopping to forgive, even if all others come in time. It reads what is recorded; it costs the issuing and the
// answering goroutines nothing.
type runOutlook struct {
	x       *queryIssuer
	most    uint64 // queries of the run
	forgive uint64 // how many of them may be late
	limits  []lateCounter
	tell    func(why string) // called once
}

// lateCounter counts the samples above one limit.
type lateCounter struct {
	name  string
	limit int64
	// value is what is compared with the limit for sample i at a time; until it is final it may grow.
	value   func(x *queryIssuer, i uint64, now int64) (v int64, final bool)
	next    uint64   // the first sample not looked at
	waiting []uint64 // those looked at that may still be in time
	late    uint64
}

// allowedLate is how many of n queries may be above a limit for the percentile to be met, by itself and by early
// stopping.
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

// watchEvery is how often a run is looked at.
const watchEvery = 100 * time.Millisecond

// watchRun looks at the run until it is told to stop, or knows.
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

// countLate counts what is late by now, and says whether the run can only end INVALID.
func (o *runOutlook) countLate(now int64) (hopeless bool) {
	for i := range o.limits {
		l := &o.limits[i]
		l.countLate(o.x, now)
		if l.late > o.forgive {
			o.tell(fmt.Sprintf("%s queries are above the %s limit of %s already, and a run of %s queries forgives %s",
				groupDigits(l.late), l.name, humanDuration(time.Duration(l.limit)), groupDigits(o.most), groupDigits(o.forgive)))
			return true
		}
	}
	return false
}

func (l *lateCounter) countLate(x *queryIssuer, now int64) {
	still := l.waiting[:0]
	for _, i := range l.waiting {
		if !l.isDecided(x, i, now) {
			still = append(still, i)
		}
	}
	l.waiting = still
	for ; l.next < uint64(x.plan.Queries) && x.rec.HasIssued(l.next); l.next++ {
		if !l.isDecided(x, l.next, now) {
			l.waiting = append(l.waiting, l.next)
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
