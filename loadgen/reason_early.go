package loadgen

import (
	"fmt"
	"time"
)

// tooFewQueriesReason returns a reason with the number of queries that an estimate of the percentile needs.
func tooFewQueriesReason(r *Result) Reason {
	es := r.EarlyStopping
	return Reason{
		Rule:     ruleEarlyStopping,
		Measured: groupDigits(es.QueriesProcessed) + " queries",
		Needed: fmt.Sprintf("at least %s queries to estimate the %s percentile",
			groupDigits(es.QueriesNeeded), percentileName(es.Percentile)),
		Hint: longerRunHint(r, es.QueriesNeeded) + ".",
	}
}

// tooManyLateReason returns a reason with the distance of the run from showing that its percentile is met.
func tooManyLateReason(p *testSeries, r *Result) Reason {
	es := r.EarlyStopping
	limit := humanDuration(decidingLimit(r))
	return Reason{
		Rule:     ruleEarlyStopping,
		Measured: fmt.Sprintf("%s above %s", humanPart(es.Overlatency, es.QueriesProcessed, "queries"), limit),
		Needed: fmt.Sprintf("%s queries with no more of them above the limit, to trust the %s percentile",
			groupDigits(es.QueriesNeeded), percentileName(es.Percentile)),
		Hint: trustHint(p, r, limit),
	}
}

// decidingLimit returns the limit to which Result.EarlyStopping refers. In token runs it is TPOT's if TPOT fails,
// otherwise TTFT's.
func decidingLimit(r *Result) time.Duration {
	switch t := r.Tokens; {
	case t == nil:
		return r.Effective.TargetLatency
	case !t.TPOT.EarlyStopping.Met:
		return t.TPOT.Limit
	default:
		return t.TTFT.Limit
	}
}

func trustHint(p *testSeries, r *Result, limit string) string {
	es := r.EarlyStopping
	if !r.PerformanceConstraintsMet {
		return "Meet the limit first: a longer run alone does not help while too many queries are above it."
	}
	if es.Overlatency == 0 {
		return longerRunHint(r, es.QueriesNeeded) + "."
	}
	if enough, ok := enoughQueries(max(es.QueriesProcessed, 1), es.Overlatency, es.Percentile); ok {
		return longerRunHint(r, enough) + ": enough for the same share of late queries."
	}
	if r.Tokens != nil {
		return "Lower target_qps: the share of late queries is too close to what is allowed for a longer run to help."
	}
	r.Capacity = estimateCapacity(p, p.Done, r.Effective, r.Effective.TargetLatency)
	return "The share of late queries is too close to what is allowed for a longer run to help. " + rateHint(r, limit)
}

// longerRunHint returns advice on how to reach n queries.
func longerRunHint(r *Result, n uint64) string {
	text := fmt.Sprintf("Set min_query_count to %d", n)
	if each := r.kindOf().timePerQuery(r); each > 0 {
		text += fmt.Sprintf(", or min_duration to %s", humanDuration(roundUp(time.Duration(n)*each)))
	}
	return text
}
