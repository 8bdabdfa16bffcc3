package loadgen

import (
	"fmt"
	"time"
)

func durationReason(p *series, r *Result) Reason {
	measured, needed := humanPair(judgedDuration(p, r), r.Effective.MinDuration)
	return Reason{
		Rule:     "min_duration",
		Measured: measured + " " + judgedUntil(r.Effective.Scenario),
		Needed:   "at least " + needed,
		Hint:     durationHint(p, r),
	}
}

// judgedUntil says what judgedDuration is the time of.
func judgedUntil(s Scenario) string {
	switch s {
	case Offline:
		return "until the last sample was answered"
	case Server:
		return "until the last query was due"
	}
	return "until the last query was issued"
}

func durationHint(p *series, r *Result) string {
	if early := stoppedEarly(p, r); early != "" {
		return early
	}
	switch r.Effective.Scenario {
	case Offline:
		return offlineHint(r)
	case Server:
		return "Raise target_qps so that more queries are generated."
	}
	return streamHint(p, r)
}

// offlineHint says which expected rate gives a query that is long enough.
func offlineHint(r *Result) string {
	samples := count(offlineReserve * r.Effective.MinDuration.Seconds() * r.SamplesPerSec)
	return fmt.Sprintf("Set target_qps (the expected rate, %s now) to %s, the measured rate: the query then has %s samples instead of %s.",
		significant(r.Requested.OfflineExpectedQPS, 6), significant(r.SamplesPerSec, 4), grouped(samples), grouped(r.SampleCount))
}

// streamHint says which expected latency generates enough queries: those of twice the minimum duration.
func streamHint(p *series, r *Result) string {
	expected := time.Duration(0)
	if r.Effective.TargetQPS > 0 {
		expected = time.Duration(1e9 / r.Effective.TargetQPS)
	}
	mean := r.QueryLatency.Mean
	if mean <= 0 {
		return fmt.Sprintf("Lower target_latency (the expected latency, %s now) so that more than %s queries are generated.", human(expected), grouped(p.GeneratedQueries))
	}
	was, now := humanPair(expected, mean)
	return fmt.Sprintf("Set target_latency (the expected latency, %s now) to %s, the measured mean: that generates about %s queries instead of %s.",
		was, now, grouped(uint64(2*r.Effective.MinDuration/mean)), grouped(p.GeneratedQueries))
}
