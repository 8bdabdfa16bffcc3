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
	switch e.Scenario {
	case SingleStream:
		judgeSingleStream(p, r)
	case MultiStream:
		if e.ArrivalInterval > 0 {
			judgeIntervals(p, r)
		} else {
			judgeMultiStream(p, r)
		}
	case Server:
		judgeServer(p, r)
	case Offline:
		judgeOffline(p, r)
	}
	if s.UseTokenLatencies {
		judgeTokens(p, r)
	}
	inferTokens(r)
	if e.NoEarlyStopping {
		r.withoutEarlyStopping()
	}
	r.MinDurationMet = judgedDuration(p, r) >= e.MinDuration
	r.MinQueriesMet = r.QueryCount >= e.MinQueryCount && r.SampleCount >= e.MinSampleCount
	r.EarlyStoppingMet = r.EarlyStopping.Met
	r.Verdict = Invalid
	if r.PerformanceConstraintsMet && r.MinDurationMet && r.MinQueriesMet && r.EarlyStoppingMet && r.Aborted == nil {
		r.Verdict = Valid
	}
	r.Reasons = reasons(p, r)
}

func judgeSingleStream(p *series, r *Result) {
	r.PerformanceConstraintsMet = true
	d := describe(sampleLatencies(p), 0)
	target, fixed := estimateOf(d.N, r.TargetPercentile.P), estimateOf(d.N, 0.99)
	var at []time.Duration
	r.Latency, at = d.at(rank(d.N, r.TargetPercentile.P), target.rank, fixed.rank)
	r.QueryLatency = r.Latency
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = target.result(at[1])
	second := fixed.result(at[2])
	if r.EarlyStopping.Met {
		r.EarlyStopping.Text += "\n" + fixed.secondText(at[2])
	}
	r.EarlyStopping99 = &second
	r.QPSWithOverhead = rate(p.Queries-1, p.lastIssue())
	r.QPSWithoutOverhead = rate(1, d.Mean)
	r.streamMetric("latency")
}

func judgeMultiStream(p *series, r *Result) {
	r.PerformanceConstraintsMet = true
	r.Latency, _ = describe(sampleLatencies(p), 0).at()
	d := describe(queryLatencies(p), 0)
	target := estimateOf(d.N, r.TargetPercentile.P)
	var at []time.Duration
	r.QueryLatency, at = d.at(rank(d.N, r.TargetPercentile.P), target.rank)
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = target.result(at[1])
	r.streamMetric("query latency")
}

// streamMetric makes the early-stopping estimate the headline, or the plain percentile where there is none.
func (r *Result) streamMetric(what string) {
	r.MetricName, r.MetricUnit = percentileName(r.TargetPercentile.P)+" percentile "+what, "ns"
	r.Metric = float64(r.TargetPercentile.Latency)
	if r.EarlyStopping.Met {
		r.Metric = float64(r.EarlyStopping.Estimate)
	}
}

func judgeServer(p *series, r *Result) {
	limit := r.Effective.TargetLatency
	d := describe(sampleLatencies(p), limit)
	var at []time.Duration
	r.Latency, at = d.at(rank(d.N, r.TargetPercentile.P))
	r.QueryLatency = r.Latency
	r.TargetPercentile.Latency = at[0]
	r.PerformanceConstraintsMet = at[0] <= limit
	r.OverlatencyCount = uint64(d.Above)
	r.EarlyStopping = serverEarlyStopping(uint64(d.N), r.OverlatencyCount, r.TargetPercentile.P)
	r.IssueDelay, _ = describe(issueDelays(p), 0).at()
	r.ScheduledSamplesPerSec = rate(p.Queries-1, lastTime(p.Scheduled))
	r.CompletedSamplesPerSec = rate(p.Queries-1, lastTime(p.Done))
	r.MetricName, r.MetricUnit, r.Metric = "completed samples per second", "samples/s", r.CompletedSamplesPerSec
}

func judgeOffline(p *series, r *Result) {
	r.PerformanceConstraintsMet = true
	d := describe(sampleLatencies(p), 0)
	var at []time.Duration
	r.Latency, at = d.at(rank(d.N, r.TargetPercentile.P))
	r.QueryLatency = LatencySummary{}
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = EarlyStopping{Met: true, Percentile: r.TargetPercentile.P, QueriesProcessed: r.QueryCount}
	r.IssueDelay, _ = describe(issueDelays(p), 0).at()
	r.SamplesPerSec = rate(d.N, d.Max)
	r.MetricName, r.MetricUnit, r.Metric = "samples per second", "samples/s", r.SamplesPerSec
}

// judgedDuration is what is compared with the minimum duration: in Offline the longest latency, else the time at
// which the last query was scheduled (Server) or issued.
func judgedDuration(p *series, r *Result) time.Duration {
	switch r.Effective.Scenario {
	case Offline:
		return r.Latency.Max
	case Server:
		return time.Duration(lastTime(p.Scheduled))
	}
	return time.Duration(p.lastIssue())
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
	textDuration     = "Decrease the expected latency so the loadgen pre-generates more queries."
	textDurationSv   = "Increase the target QPS so the loadgen pre-generates more queries."
	textDurationOff  = "Increase expected QPS so the loadgen pre-generates a larger (coalesced) query."
	textQueries      = "The test exited early, before enough queries were issued."
	textQueriesWhere = "See the detailed log for why this may have occurred."
)

// failings are the unmet conditions of r that have an official text, in its order.
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
		switch r.Effective.Scenario {
		case Server:
			line(textDurationSv)
		case Offline:
			line(textDurationOff)
		default:
			line(textDuration)
		}
	}
	if !r.MinQueriesMet {
		list = append(list, failing{reason: textQueries, summary: textQueries + "\n" + textQueriesWhere})
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
