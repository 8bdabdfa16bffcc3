package loadgen

import (
	"cmp"
	"fmt"
	"time"
)

// invalidReasons explains an INVALID verdict. Each unmet rule has a reason with the measured value, the required value
// and the necessary change.
func invalidReasons(p *testSeries, r *Result) []Reason {
	if r.Verdict == Valid {
		return nil
	}
	var list []Reason
	if r.Aborted != nil {
		list = append(list, Reason{
			Rule: ruleAborted, Measured: fmt.Sprintf("ended after %s queries: %v", groupDigits(r.QueryCount), r.Aborted),
			Needed: "a run to its natural end", Hint: "Remove the cause and run again; what was measured is in the logs.",
		})
	}
	if len(r.Pauses) > 0 {
		list = append(list, pausesReason(r.Pauses))
	}
	for _, c := range unmetConditions(r) {
		list = append(list, c.reasons(p, r)...)
	}
	return list
}

// limitReasons explains which limits were missed.
func limitReasons(p *testSeries, r *Result) []Reason {
	switch {
	case r.Tokens != nil:
		return tokenReasons(p, r)
	case r.Intervals != nil:
		return []Reason{intervalReason(p, r)}
	}
	return []Reason{latencyReason(p, r)}
}

func latencyReason(p *testSeries, r *Result) Reason {
	e := r.Effective
	n := uint64(r.Latency.N)
	measured, limit := humanPair(r.TargetPercentile.Latency, e.TargetLatency)
	r.Capacity = estimateCapacity(p, p.Done, e, e.TargetLatency)
	return Reason{
		Rule: ruleLatency,
		Measured: fmt.Sprintf("%s percentile latency %s; %s above the limit",
			percentileName(e.TargetLatencyPercentile), measured, humanPart(r.OverlatencyCount, n, "queries")),
		Needed: fmt.Sprintf("at most %s; at most %s queries above it",
			limit, groupDigits(maxOver(n, e.TargetLatencyPercentile))),
		Hint: behindText(r) + rateHint(r, limit),
	}
}

// maxOver returns how many of n values may be above a limit that their percentile meets.
func maxOver(n uint64, percentile float64) uint64 {
	if n == 0 {
		return 0
	}
	return n - 1 - uint64(percentileRank(int(n), percentile))
}

// behindText returns a text if the SUT fell behind its schedule, or "".
func behindText(r *Result) string {
	if r.CompletedSamplesPerSec >= 0.97*r.ScheduledSamplesPerSec {
		return ""
	}
	return fmt.Sprintf("The SUT fell behind: it completed %s queries per second of %s scheduled. ",
		roundSignificant(r.CompletedSamplesPerSec, 3), roundSignificant(r.ScheduledSamplesPerSec, 3))
}

// rateHint returns a rate that would pass, based on r.Capacity, which is nil if nothing was measured. If queries were
// issued late, it reports that first, because their times say less about the SUT.
func rateHint(r *Result, limit string) string {
	c, e := r.Capacity, r.Effective
	switch {
	case c == nil:
		return "No query was answered."
	case c.QPS >= e.TargetQPS:
		return fmt.Sprintf("Lower target_qps (%s now).", roundSignificant(e.TargetQPS, 6))
	case c.QPS == 0 && r.kindOf().lateIssueText(r) != "":
		return fmt.Sprintf("%s took longer than %s without waiting for others, and queries were issued late (see the "+
			"note), which is part of it: first give LoadGen a free processor.",
			humanPart(c.TooSlow, c.Queries, "queries"), limit)
	case c.QPS == 0:
		return fmt.Sprintf("No target_qps passes: %s take longer than %s without waiting; make single queries faster.",
			humanPart(c.TooSlow, c.Queries, "queries"), limit)
	}
	return fmt.Sprintf("At the measured service times (mean %s, %d at a time) about %s queries per second would pass; "+
		"target_qps is %s.",
		humanDuration(c.Service), c.Servers, humanRate(c.QPS), roundSignificant(e.TargetQPS, 6))
}

func intervalReason(p *testSeries, r *Result) Reason {
	v := r.Intervals
	what := "queries were under way when the next was due"
	if r.Requested.MultiStreamCountDropped {
		what = "queries, issued or dropped, were late"
	}
	return Reason{
		Rule: ruleInterval,
		Measured: fmt.Sprintf("%s; %s intervals skipped; %s percentile of the query latency %s",
			humanPart(v.Overtime, v.Counted, what), groupDigits(v.Skipped),
			percentileName(r.TargetPercentile.P), humanDuration(r.TargetPercentile.Latency)),
		Needed: fmt.Sprintf("at most %s of them, within %s", groupDigits(v.Allowed), humanDuration(v.Interval)),
		Hint:   streamsHint(p, r),
	}
}

// streamsHint estimates the number of samples per query that would pass if the time of a query is proportional to it.
func streamsHint(p *testSeries, r *Result) string {
	n := uint64(r.QueryLatency.N)
	if n == 0 {
		return "No query was answered."
	}
	_, at := describeLatencies(queryLatencies(p), 0).latenciesAt(int(n - 1 - min(n-1, allowedOver(n,
		r.TargetPercentile.P))))
	now := r.Effective.SamplesPerQuery
	fits := uint64(float64(now) * float64(r.Intervals.Interval) / float64(max(at[0], 1)))
	if fits = min(fits, now-1); fits == 0 {
		return fmt.Sprintf("No number of samples per query passes: too many queries of %d took longer than an interval; "+
			"make one sample faster.", now)
	}
	return fmt.Sprintf("If the time of a query is proportional to its samples, about %d samples per query would pass; "+
		"samples_per_query is %d.", fits, now)
}

func queriesReason(p *testSeries, r *Result) Reason {
	e := r.Effective
	hint := cmp.Or(stoppingLimit(p, r),
		"The run ended before enough queries were issued: the errors of the detail log say why.")
	return Reason{
		Rule:     ruleMinQueries,
		Measured: queriesAndSamples(r.QueryCount, r.SampleCount, e.SamplesPerQuery),
		Needed:   "at least " + queriesAndSamples(e.MinQueryCount, e.MinSampleCount, e.SamplesPerQuery),
		Hint:     hint,
	}
}

func queriesAndSamples(queries, samples, perQuery uint64) string {
	if perQuery == 1 {
		return groupDigits(queries) + " queries"
	}
	return fmt.Sprintf("%s queries, %s samples", groupDigits(queries), groupDigits(samples))
}

// stoppingLimit returns the limit that ended the run before its last generated query, or "".
func stoppingLimit(p *testSeries, r *Result) string {
	e := r.Effective
	switch {
	case r.Aborted != nil:
		return "The run was aborted."
	case e.MaxQueryCount > 0 && r.QueryCount >= e.MaxQueryCount:
		return fmt.Sprintf("max_query_count = %d ended the run; %s or set it to 0.", e.MaxQueryCount, raiseCount(r))
	case e.MaxDuration > 0 && time.Duration(p.lastIssue()) > e.MaxDuration:
		return fmt.Sprintf("max_duration = %s ended the run; %s or set it to 0.", humanDuration(e.MaxDuration),
			raiseDuration(r))
	}
	return r.kindOf().ownStoppingLimit(p, r)
}

// raiseCount returns the value of max_query_count that is large enough for both minima.
func raiseCount(r *Result) string {
	need := r.Effective.MinQueryCount
	if each := r.kindOf().timePerQuery(r); each > 0 {
		need = max(need, uint64(r.Effective.MinDuration/each)+1)
	}
	return fmt.Sprintf("raise it to at least %d", need)
}

// raiseDuration returns the value of max_duration that is large enough for both minima.
func raiseDuration(r *Result) string {
	need := max(r.Effective.MinDuration, time.Duration(r.Effective.MinQueryCount)*r.kindOf().timePerQuery(r))
	return "raise it above " + humanDuration(roundUp(need))
}

// roundUp rounds up to whole milliseconds, the unit of configuration files.
func roundUp(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}
