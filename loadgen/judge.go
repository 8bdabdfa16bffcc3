package loadgen

import (
	"strings"
	"time"
)

// judgeSeries computes Result's metrics, early stopping, verdict and reasons from a finished performance series. The
// four conditions, the metrics and the texts are those of the official LoadGen for the same times.
//
// A sample whose Done is negative was never completed because the test was aborted. It counts only as issued.
// judgeSeries does not change p's measurements.
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
		r.removeEarlyStopping()
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

// removeEarlyStopping removes early stopping from a result.
func (r *Result) removeEarlyStopping() {
	r.EarlyStopping = EarlyStopping{Met: true, Percentile: r.TargetPercentile.P, QueriesProcessed: r.QueryCount}
	if r.EarlyStopping99 != nil {
		r.EarlyStopping99 = &EarlyStopping{Met: true, Percentile: 0.99, QueriesProcessed: r.QueryCount}
	}
}

// lastTime returns the last of the times, or 0 if there is none or the event never happened.
func lastTime(times []int64) int64 {
	if len(times) == 0 {
		return 0
	}
	return max(0, times[len(times)-1])
}

// ratePerSecond returns the rate of n events in ns nanoseconds, or 0 if ns is 0.
func ratePerSecond(n int, ns int64) float64 {
	if n <= 0 || ns <= 0 {
		return 0
	}
	return float64(n) / (float64(ns) / 1e9)
}

// invalidReason returns the text of result_invalid_reason.
func invalidReason(r *Result) string {
	var b strings.Builder
	for _, f := range failedConditions(r) {
		b.WriteString(f.reason)
	}
	return joinLines(b.String())
}
