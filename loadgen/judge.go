package loadgen

import (
	"strings"
	"time"
)

// judge computes Result's metrics, early stopping, verdict and reasons from a finished performance series: the four
// conditions, the metrics and the texts are those of the official LoadGen for the same times.
//
// A sample whose Done is negative was never completed (the test was aborted): it counts as issued only.
// judge changes nothing of what p measured.
func judge(s TestSettings, e EffectiveSettings, p *series, r *Result) {
	r.Requested, r.Effective = s, e
	r.Started = p.Start
	r.Duration = time.Duration(p.end())
	r.QueryCount, r.SampleCount = uint64(p.Queries), uint64(len(p.Done))
	r.TargetPercentile.P = e.TargetLatencyPercentile
	k := r.kind()
	k.judge(p, r)
	if s.UseTokenLatencies {
		r.Tokens = countTokens(p, r)
		k.judgeTokens(r.Tokens, p, r)
	}
	if e.NoEarlyStopping {
		r.withoutEarlyStopping()
	}
	judged, _ := k.duration(p, r)
	r.MinDurationMet = judged >= e.MinDuration
	r.MinQueriesMet = r.QueryCount >= e.MinQueryCount && r.SampleCount >= e.MinSampleCount
	r.EarlyStoppingMet = r.EarlyStopping.Met
	r.Pauses = p.Pauses
	r.Verdict = Invalid
	if len(r.Pauses) == 0 && r.PerformanceConstraintsMet && r.MinDurationMet && r.MinQueriesMet &&
		r.EarlyStoppingMet && r.Aborted == nil {
		r.Verdict = Valid
	}
	r.Reasons = reasons(p, r)
}

// withoutEarlyStopping takes early stopping out of a result.
func (r *Result) withoutEarlyStopping() {
	r.EarlyStopping = EarlyStopping{Met: true, Percentile: r.TargetPercentile.P, QueriesProcessed: r.QueryCount}
	if r.EarlyStopping99 != nil {
		r.EarlyStopping99 = &EarlyStopping{Met: true, Percentile: 0.99, QueriesProcessed: r.QueryCount}
	}
}

// lastTime is the last of the times, 0 where there is none or it never came.
func lastTime(times []int64) int64 {
	if len(times) == 0 {
		return 0
	}
	return max(0, times[len(times)-1])
}

// rate is n per second over ns nanoseconds; 0 where there is nothing to divide by.
func rate(n int, ns int64) float64 {
	if n <= 0 || ns <= 0 {
		return 0
	}
	return float64(n) / (float64(ns) / 1e9)
}

// failing is an unmet condition with the official text of what to change.
type failing struct {
	reason  string // in the detail log
	summary string // in the summary log
}

const (
	textLatency      = "Reduce target QPS to improve latency."
	textStreams      = "Reduce samples per query to improve latency."
	textQueries      = "The test exited early, before enough queries were issued."
	textQueriesWhere = "See the detailed log for why this may have occurred."
)

// failings are the unmet conditions of r that have an official text, in its order, and a text of ours for what has
// none.
func failings(r *Result) []failing {
	var list []failing
	line := func(text string) { list = append(list, failing{reason: text + "\n", summary: text}) }
	switch {
	case r.PerformanceConstraintsMet:
	case r.Tokens != nil:
		list = r.Tokens.failings()
	case r.Intervals != nil:
		line(textStreams)
	default:
		line(textLatency)
	}
	if !r.MinDurationMet {
		line(r.kind().durationText())
	}
	if !r.MinQueriesMet {
		list = append(list, failing{reason: textQueries, summary: textQueries + "\n" + textQueriesWhere})
	}
	if len(r.Pauses) > 0 {
		line("Run again: " + pausesText(r.Pauses) + ".")
	}
	return list
}

// invalidReason is the text of result_invalid_reason.
func invalidReason(r *Result) string {
	var b strings.Builder
	for _, f := range failings(r) {
		b.WriteString(f.reason)
	}
	return oneLine(b.String())
}
