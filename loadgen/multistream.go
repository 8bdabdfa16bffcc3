package loadgen

import (
	"context"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// multiStream issues queries of several samples. A query follows the completion of the previous one and, in the rounds
// v0.5 to v1.1, an arrival interval (judge_interval.go). Its result is the latency of a query, or the number of samples
// per query.
type multiStream struct{ chainedScenario }

func (k multiStream) check(f *faultList, s TestSettings) {
	k.plainScenario.check(f, s)
	f.requireThat(!s.PerformanceIssueUnique || !s.SampleConcatenatePermutation || s.Mode == AccuracyOnly,
		"performance_issue_unique and sample_concatenate_permutation exclude each other in MultiStream, where equal issue "+
			"needs more queries than there are different ones")
}

// expectedLatency returns the expected latency in ns, with its fraction.
func (multiStream) expectedLatency(s TestSettings) float64 {
	return float64(s.MultiStreamExpectedLatency) + s.MultiStreamExpectedLatencyFraction
}

func (k multiStream) effective(e *EffectiveSettings, s TestSettings, _ qslCounts) {
	e.TargetQPS = 1e9 / k.expectedLatency(s)
	if s.MultiStreamArrivalInterval > 0 {
		e.ArrivalInterval, e.TargetLatency = s.MultiStreamArrivalInterval, s.MultiStreamArrivalInterval
		e.TargetQPS = 1e9 / float64(e.ArrivalInterval)
	}
	e.TargetLatencyPercentile = s.MultiStreamTargetLatencyPercentile
	e.SamplesPerQuery = s.MultiStreamSamplesPerQuery
}

// padding allows a query to begin with any sample of a set.
func (multiStream) padding(e EffectiveSettings) uint64 { return e.SamplesPerQuery - 1 }

func (k multiStream) prepare(x *queryIssuer, s TestSettings) {
	k.chainedScenario.prepare(x, s)
	if x.limits.ArrivalInterval > 0 {
		x.scheduled = make([]int64, x.plan.Queries)
	}
}

func (k multiStream) issueAll(ctx context.Context, x *queryIssuer) error {
	if x.limits.ArrivalInterval > 0 && !x.accuracy {
		return x.issueAtIntervals(ctx)
	}
	return k.chainedScenario.issueAll(ctx, x)
}

func (multiStream) judge(p *testSeries, r *Result) {
	r.PerformanceConstraintsMet = true
	r.Latency, _ = describeLatencies(sampleLatencies(p), 0).latenciesAt()
	d := describeLatencies(queryLatencies(p), 0)
	target := estimateOf(d.N, r.TargetPercentile.P)
	var at []time.Duration
	r.QueryLatency, at = d.latenciesAt(percentileRank(d.N, r.TargetPercentile.P), target.rank)
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = target.toEarlyStopping(at[1])
	r.setStreamMetric("query latency")
	if r.Effective.ArrivalInterval > 0 {
		judgeIntervals(p, r)
	}
}

func (multiStream) judgeTokens(t *TokenResult, p *testSeries, r *Result) {
	for _, of := range t.inOrder(p) {
		of.fillSummary(describeLatencies(of.values, 0), r.TargetPercentile.P)
	}
	t.TPOT.EarlyStopping = r.EarlyStopping
	if r.EarlyStopping.Met {
		t.TTFT.EarlyStopping = r.EarlyStopping
	}
}

func (multiStream) hasLimit(r *Result) bool { return r.Intervals != nil }

func (k multiStream) timePerQuery(r *Result) time.Duration {
	if r.Effective.ArrivalInterval > 0 {
		return r.Effective.ArrivalInterval
	}
	return k.chainedScenario.timePerQuery(r)
}

func (multiStream) headline(r *Result) []mllog.Field {
	if r.Intervals != nil {
		samples := strconv.FormatUint(r.Effective.SamplesPerQuery, 10)
		return []mllog.Field{{Label: "Samples per query", Value: samples}}
	}
	return streamHeadline(r)
}

func (multiStream) statistics(r *Result) [][]mllog.Field {
	var stats [][]mllog.Field
	if r.Intervals != nil {
		stats = append(stats, intervalFields(r.Intervals))
	}
	heading := mllog.Field{Label: "Per-query latency"}
	stats = append(stats, append([]mllog.Field{heading}, latencyFields(r.QueryLatency)...))
	if r.Tokens != nil {
		stats = append(stats, r.Tokens.statistics()...)
	}
	return stats
}

func (multiStream) results(g *runLog, r *Result) {
	g.logLatencies(r.QueryLatency, "", "query_latency_ns", "percentile_per_query_latency_ns")
	if r.Intervals != nil {
		g.logIntervals(r.Intervals)
	}
	if !r.Effective.NoEarlyStopping {
		g.logValue("early_stopping_latency_ms", r.EarlyStopping.Estimate.Nanoseconds())
	}
}
