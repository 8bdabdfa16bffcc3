package loadgen

import (
	"fmt"
	"time"
)

func durationReason(p *testSeries, r *Result) Reason {
	judged, until := r.kindOf().duration(p, r)
	measured, needed := humanPair(judged, r.Effective.MinDuration)
	return Reason{
		Rule:     ruleMinDuration,
		Measured: measured + " " + until,
		Needed:   "at least " + needed,
		Hint:     durationHint(p, r),
	}
}

func durationHint(p *testSeries, r *Result) string {
	if early := stoppingLimit(p, r); early != "" {
		return early
	}
	return r.kindOf().durationHint(p, r)
}

// streamHint returns the expected latency that generates enough queries: those of twice the minimum duration.
func streamHint(p *testSeries, r *Result) string {
	expected := time.Duration(0)
	if r.Effective.TargetQPS > 0 {
		expected = time.Duration(1e9 / r.Effective.TargetQPS)
	}
	mean := r.QueryLatency.Mean
	if mean <= 0 {
		return fmt.Sprintf("Lower target_latency (the expected latency, %s now) so that more than %s queries are generated.",
			humanDuration(expected), groupDigits(p.GeneratedQueries))
	}
	was, now := humanPair(expected, mean)
	return fmt.Sprintf("Set target_latency (the expected latency, %s now) to %s, the measured mean: that generates "+
		"about %s queries instead of %s.",
		was, now, groupDigits(uint64(2*r.Effective.MinDuration/mean)), groupDigits(p.GeneratedQueries))
}
