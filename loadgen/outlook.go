package loadgen

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
)

// hopeless says why a run with these settings can only end INVALID whatever the SUT does, or is empty. queries is the
// largest number of queries that may be generated.
func hopeless(e EffectiveSettings, queries uint64) string {
	switch {
	case e.MaxQueryCount > 0 && e.MaxQueryCount < e.MinQueryCount:
		return fmt.Sprintf("max_query_count = %d ends the run before min_query_count = %d is reached",
			e.MaxQueryCount, e.MinQueryCount)
	case e.MaxDuration > 0 && e.MaxDuration < e.MinDuration && !e.Scenario.kind().oneQuery():
		return fmt.Sprintf("max_duration = %s ends the run before min_duration = %s is reached",
			human(e.MaxDuration), human(e.MinDuration))
	}
	most := mostQueries(e, queries)
	if need := needed(e); most < need {
		return fmt.Sprintf("at most %s queries are issued, and early stopping needs %s for the %s percentile: "+
			"raise min_query_count",
			grouped(most), grouped(need), percentileName(e.TargetLatencyPercentile))
	}
	return ""
}

// mostQueries is how many of the generated queries a limit lets through.
func mostQueries(e EffectiveSettings, queries uint64) uint64 {
	if e.MaxQueryCount > 0 {
		return min(e.MaxQueryCount, queries)
	}
	return queries
}

// needed is the least number of queries from which early stopping may be met.
func needed(e EffectiveSettings) uint64 {
	if e.NoEarlyStopping {
		return 0
	}
	return e.Scenario.kind().leastQueries(earlystop.Rules(e.TargetLatencyPercentile))
}

// hopelessFromStart says before the first series why a test's performance run can only end INVALID, or is empty.
func (t *test) hopelessFromStart() string {
	if t.e.Mode == AccuracyOnly || t.e.Mode == FindPeakPerformance {
		return ""
	}
	var f faults
	samples := f.performance(t.s, t.e, t.counts)
	return hopeless(t.e, t.e.Scenario.kind().mostGenerated(samples/t.e.SamplesPerQuery))
}

// outlook watches a Server series for the moment from which it can only end INVALID: too many samples are late for
// early stopping to forgive, even if all others come in time. It reads what is recorded; it costs the issuing and the
// answering goroutines nothing.
type outlook struct {
	x       *issuer
	most    uint64 // queries of the run
	forgive uint64 // how many of them may be late
	limits  []lateness
	tell    func(why string) // called once
}

// lateness counts the samples above one limit.
type lateness struct {
	name  string
	limit int64
	// value is what is compared with the limit for sample i at a time; until it is final it may grow.
	value   func(x *issuer, i uint64, now int64) (v int64, final bool)
	next    uint64   // the first sample not looked at
	waiting []uint64 // those looked at that may still be in time
	late    uint64
}

// forgiven is how many of n queries may be above a limit for the percentile to be met, by itself and by early stopping.
func forgiven(e EffectiveSettings, n uint64) uint64 {
	most := n - 1 - uint64(rank(int(n), e.TargetLatencyPercentile))
	if e.NoEarlyStopping {
		return most
	}
	t, _ := earlystop.Rules(e.TargetLatencyPercentile).Forgives(n)
	return min(t, most)
}

func latencySoFar(x *issuer, i uint64, now int64) (v int64, final bool) {
	if done := x.rec.Done(i); done != 0 {
		return done - x.scheduled[i], true
	}
	return now - x.scheduled[i], false
}

func firstTokenSoFar(x *issuer, i uint64, now int64) (v int64, final bool) {
	if first, _ := x.rec.TokensOf(i); first != 0 {
		return first - x.scheduled[i], true
	}
	return now - x.scheduled[i], false
}

func outputTimeSoFar(x *issuer, i uint64, _ int64) (v int64, final bool) {
	first, n := x.rec.TokensOf(i)
	if n == 0 {
		return 0, false
	}
	return (x.rec.Done(i) - first) / int64(n-1), true
}

// watchEvery is how often a run is looked at.
const watchEvery = 100 * time.Millisecond

// watch looks at the run until it is told to stop, or knows.
func (o *outlook) watch(stop <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if o.look(o.x.clock.Now()) {
			return
		}
	}
}

// look counts what is late by now, and says whether the run can only end INVALID.
func (o *outlook) look(now int64) (hopeless bool) {
	for i := range o.limits {
		l := &o.limits[i]
		l.count(o.x, now)
		if l.late > o.forgive {
			o.tell(fmt.Sprintf("%s queries are above the %s limit of %s already, and a run of %s queries forgives %s",
				grouped(l.late), l.name, human(time.Duration(l.limit)), grouped(o.most), grouped(o.forgive)))
			return true
		}
	}
	return false
}

func (l *lateness) count(x *issuer, now int64) {
	still := l.waiting[:0]
	for _, i := range l.waiting {
		if !l.decided(x, i, now) {
			still = append(still, i)
		}
	}
	l.waiting = still
	for ; l.next < uint64(x.plan.Queries) && x.rec.HasIssued(l.next); l.next++ {
		if !l.decided(x, l.next, now) {
			l.waiting = append(l.waiting, l.next)
		}
	}
}

func (l *lateness) decided(x *issuer, i uint64, now int64) bool {
	v, final := l.value(x, i, now)
	if v > l.limit {
		l.late++
	}
	return final || v > l.limit
}
