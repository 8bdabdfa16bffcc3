package loadgen

import (
	"fmt"
	"time"
)

// reasons explains an INVALID verdict: for each unmet rule what was measured, what was needed and what to change.
func reasons(p *series, r *Result) []Reason {
	if r.Verdict == Valid {
		return nil
	}
	var list []Reason
	if r.Aborted != nil {
		list = append(list, Reason{
			Rule: "aborted", Measured: fmt.Sprintf("ended after %d queries: %v", r.QueryCount, r.Aborted),
			Needed: "a run to its natural end", Hint: "Remove the cause and run again; what was measured is in the logs.",
		})
	}
	switch {
	case r.PerformanceConstraintsMet:
	case r.Tokens != nil:
		list = append(list, r.Tokens.reasons(r)...)
	default:
		list = append(list, latencyReason(r))
	}
	if !r.MinDurationMet {
		list = append(list, durationReason(p, r))
	}
	if !r.MinQueriesMet {
		list = append(list, queriesReason(p, r))
	}
	if !r.EarlyStoppingMet {
		list = append(list, earlyStoppingReason(r))
	}
	return list
}

func latencyReason(r *Result) Reason {
	e := r.Effective
	return Reason{
		Rule: "latency",
		Measured: fmt.Sprintf("%s percentile latency %v; %d of %d queries above the limit",
			percentileName(e.TargetLatencyPercentile), r.TargetPercentile.Latency, r.OverlatencyCount, r.Latency.N),
		Needed: fmt.Sprintf("at most %v; at most %.4g %% of the queries above it",
			e.TargetLatency, 100*(1-e.TargetLatencyPercentile)),
		Hint: latencyHint(r),
	}
}

// latencyHint tells an overloaded SUT, which falls behind its schedule, from one that is too slow for one query.
func latencyHint(r *Result) string {
	e := r.Effective
	if r.Latency.Min > e.TargetLatency {
		return fmt.Sprintf("Even the fastest query took %v: no target_qps meets the limit; make one query faster.", r.Latency.Min)
	}
	if r.CompletedSamplesPerSec < 0.97*r.ScheduledSamplesPerSec {
		return fmt.Sprintf("The SUT fell behind: it completed %.4g queries per second of %.4g scheduled; lower target_qps below that.",
			r.CompletedSamplesPerSec, r.ScheduledSamplesPerSec)
	}
	return fmt.Sprintf("Lower target_qps (%.6g now).", e.TargetQPS)
}

func durationReason(p *series, r *Result) Reason {
	return Reason{
		Rule:     "min_duration",
		Measured: judgedDuration(p, r).String(),
		Needed:   "at least " + r.Effective.MinDuration.String(),
		Hint:     durationHint(p, r),
	}
}

func durationHint(p *series, r *Result) string {
	if early := stoppedEarly(p, r); early != "" {
		return early
	}
	switch r.Effective.Scenario {
	case Offline:
		return fmt.Sprintf("Raise target_qps (the expected rate) from %.6g to %.6g, the measured rate, so that the query is large enough.",
			r.Requested.OfflineExpectedQPS, r.SamplesPerSec)
	case Server:
		return "Raise target_qps so that more queries are generated."
	}
	expected := time.Duration(0)
	if r.Effective.TargetQPS > 0 {
		expected = time.Duration(1e9 / r.Effective.TargetQPS)
	}
	return fmt.Sprintf("Lower target_latency (the expected latency) from %v to %v, the measured mean, so that enough queries are generated.",
		expected, r.QueryLatency.Mean)
}

// stoppedEarly names the limit that ended the run before its generated queries, or is empty.
func stoppedEarly(p *series, r *Result) string {
	e := r.Effective
	switch {
	case r.Aborted != nil:
		return "The run was aborted."
	case e.MaxQueryCount > 0 && r.QueryCount >= e.MaxQueryCount:
		return fmt.Sprintf("max_query_count = %d ended the run; raise it or set it to 0.", e.MaxQueryCount)
	case e.MaxDuration > 0 && time.Duration(lastTime(p.Issued)) > e.MaxDuration:
		return fmt.Sprintf("max_duration = %v ended the run; raise it or set it to 0.", e.MaxDuration)
	case e.Scenario == Server && e.MaxAsyncQueries > 0 && r.QueryCount < p.GeneratedQueries:
		return fmt.Sprintf("More than max_async_queries = %d queries were outstanding; raise it, set it to 0, or lower target_qps.", e.MaxAsyncQueries)
	}
	return ""
}

func queriesReason(p *series, r *Result) Reason {
	hint := stoppedEarly(p, r)
	if hint == "" {
		hint = "The run ended before enough queries were issued: the errors of the detail log say why."
	}
	return Reason{
		Rule:     "min_query_count",
		Measured: fmt.Sprintf("%d queries, %d samples", r.QueryCount, r.SampleCount),
		Needed:   fmt.Sprintf("at least %d queries, %d samples", r.Effective.MinQueryCount, r.Effective.MinSampleCount),
		Hint:     hint,
	}
}

func earlyStoppingReason(r *Result) Reason {
	es := r.EarlyStopping
	reason := Reason{Rule: "early_stopping"}
	if r.Effective.Scenario == Server {
		reason.Measured = fmt.Sprintf("%d queries, %d of them above %v", es.QueriesProcessed, es.Overlatency, decisiveLimit(r))
		reason.Needed = fmt.Sprintf("%d queries with no more of them above the limit, to trust the %s percentile",
			es.QueriesNeeded, percentileName(es.Percentile))
	} else {
		reason.Measured = fmt.Sprintf("%d queries", es.QueriesProcessed)
		reason.Needed = fmt.Sprintf("at least %d queries to estimate the %s percentile", es.QueriesNeeded, percentileName(es.Percentile))
	}
	reason.Hint = earlyStoppingHint(r)
	return reason
}

// decisiveLimit is the limit that early stopping was not met for.
func decisiveLimit(r *Result) time.Duration {
	switch {
	case r.Tokens == nil:
		return r.Effective.TargetLatency
	case !r.Tokens.TPOT.EarlyStopping.Met:
		return r.Tokens.TPOT.Limit
	}
	return r.Tokens.TTFT.Limit
}

func earlyStoppingHint(r *Result) string {
	es := r.EarlyStopping
	if r.Effective.Scenario == Server && !r.PerformanceConstraintsMet {
		return "Meet the latency limit first: a longer run alone does not help while too many queries are above it."
	}
	hint := fmt.Sprintf("Set min_query_count to %d", es.QueriesNeeded)
	if each := perQuery(r); each > 0 {
		hint += fmt.Sprintf(", or min_duration to %v", roundUp(time.Duration(es.QueriesNeeded)*each))
	}
	return hint + "."
}

// perQuery is the time between two queries.
func perQuery(r *Result) time.Duration {
	if r.Effective.Scenario == Server {
		if r.Effective.TargetQPS > 0 {
			return time.Duration(1e9 / r.Effective.TargetQPS)
		}
		return 0
	}
	return r.QueryLatency.Mean
}

// roundUp rounds to whole milliseconds, the unit of configuration files.
func roundUp(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}
