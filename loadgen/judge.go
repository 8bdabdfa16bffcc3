package loadgen

import (
	"strings"
	"time"
)

// judgeSeries computes Result's metrics, early stopping, verdict and reasons from a finished performance series: the
// four conditions, the metrics and the texts are those of the official LoadGen for the same times.
//
// A sample whose Done is negative was never completed (the test was aborted): it counts as issued only.
// judge changes nothing of what p measured.
func judgeSeries(s TestSettings, e EffectiveSettings, p *testSeries, r *Result) {
	r.Requested, r.Effective = s, e
	r.Started = p.Start
	r.Duration = time.Duration(p.lastCompletion())
	r.QueryCount, r.SampleCount = uint64(p.Queries), uint64(len(p.Done))
	r.TargetPercentile.P = e.TargetLatencyPercentile
	k := r.kindOf()
	k.judge(p, r)
	if s.UseTokenLatencies {
		r.Tokens = countTokens(p, r)
		k.judgeTokens(r.Tokens, p, r)
	}
	if e.NoEarlyStopping {
		r.withoutEarlyStopping()
	}
	for _, c := range conditions {
		if c.judge != nil {
			*c.met(r) = c.judge(p, r)
		}
	}
	r.Pauses = p.Pauses
	r.Verdict = Invalid
	if len(unmetConditions(r)) == 0 && len(r.Pauses) == 0 && r.Aborted == nil {
		r.Verdict = Valid
	}
	r.Reasons = invalidReasons(p, r)
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

// ratePerSecond is n per second over ns nanoseconds; 0 where there is nothing to divide by.
func ratePerSecond(n int, ns int64) float64 {
	if n <= 0 || ns <= 0 {
		return 0
	}
	return float64(n) / (float64(ns) / 1e9)
}

// invalidReason is the text of result_invalid_reason.
func invalidReason(r *Result) string {
	var b strings.Builder
	for _, f := range failedConditions(r) {
		b.WriteString(f.reason)
	}
	return oneLine(b.String())
}
