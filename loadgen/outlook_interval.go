package loadgen

import (
	"fmt"
	"time"
)

// intervalSkips watches a MultiStream series at an arrival interval and detects when it can only end INVALID: more
// intervals were skipped than the whole run may skip.
type intervalSkips struct {
	maxQueries uint64 // maximum number of queries of the run
	percentile float64
	dropped    bool // count skipped intervals instead of the queries that caused them
	over       uint64
	reported   bool
	report     func(why string) // called once
}

// newSkips returns a watcher, or nil if there is nothing to watch.
func (t *testRun) newSkips(x *queryIssuer) *intervalSkips {
	if t.effective.ArrivalInterval == 0 {
		return nil
	}
	return &intervalSkips{
		maxQueries: maxAtIntervals(t.effective, uint64(x.plan.Queries)), percentile: t.effective.TargetLatencyPercentile,
		dropped: t.settings.MultiStreamCountDropped, report: t.markHopeless,
	}
}

// maxAtIntervals returns how many of n generated queries a run can issue. Query q, counted from 0, is issued q
// intervals after the first or later, and the run ends with the first query that meets both minima.
func maxAtIntervals(e EffectiveSettings, n uint64) uint64 {
	forDuration := uint64((e.TargetDuration+e.ArrivalInterval-1)/e.ArrivalInterval) + 1
	return min(maxQueries(e, n), max(e.MinQueryCount, forDuration))
}

// addSkipped counts the intervals that were skipped because of one query.
func (s *intervalSkips) addSkipped(intervals uint64) {
	if s == nil || intervals == 0 || s.reported {
		return
	}
	counted, what := s.maxQueries, "queries under way when the next was due"
	if s.over++; s.dropped {
		s.over += intervals - 1
		counted, what = s.maxQueries+s.over, "skipped intervals"
	}
	if may := allowedOver(counted, s.percentile); s.over > may {
		s.reported = true
		s.report(fmt.Sprintf("%s: %s already, and a run of %s queries forgives %s",
			what, groupDigits(s.over), groupDigits(s.maxQueries), groupDigits(may)))
	}
}

// skippedBetween returns the number of intervals between the intervals at two times.
func skippedBetween(from, to int64, interval time.Duration) uint64 {
	return uint64((to-from)/int64(interval)) - 1
}
