package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// offline: one query holds all samples. Its result is a rate.
type offline struct{ plain }

func (offline) checkFit(f *faults, s TestSettings, e EffectiveSettings, q qslCounts) {
	f.need(!s.PerformanceIssueUnique || s.Mode == AccuracyOnly || e.PerformanceSampleCount <= uint64(q.total),
		"performance_issue_unique asks for %d different samples, but the QSL has %d: lower "+
			"performance_sample_count_override", e.PerformanceSampleCount, q.total)
}

const (
	offlinePercentile = 0.99 // no setting names it
	offlineReserve    = 1.1  // how many more samples than the expected rate needs are generated
)

func (offline) effective(e *EffectiveSettings, s TestSettings, _ qslCounts) {
	e.TargetQPS = s.OfflineExpectedQPS
	e.TargetLatencyPercentile = offlinePercentile
	e.SamplesPerQuery = max(s.MinQueryCount, count(offlineReserve*seconds(s)*s.OfflineExpectedQPS))
	if s.PerformanceIssueUnique {
		e.SamplesPerQuery = e.PerformanceSampleCount
	}
	e.MinQueryCount, e.TargetDuration = 1, 0
}

// expectedSamples: the target rate is one of samples.
func (offline) expectedSamples(e EffectiveSettings) uint64 { return expectedQueries(e) }

func (offline) oneQuery() bool { return true }

// records leaves first tokens out: they do not matter.
func (offline) records() record.Kind { return record.Tokens }

func (offline) prepare(x *issuer, _ TestSettings) {
	x.scheduled, x.issued = make([]int64, x.plan.Queries), make([]int64, x.plan.Queries)
}

func (offline) issueAll(ctx context.Context, x *issuer) error { return x.chained(ctx) }

func (offline) judge(p *series, r *Result) {
	r.PerformanceConstraintsMet = true
	d := describe(sampleLatencies(p), 0)
	var at []time.Duration
	r.Latency, at = d.at(rank(d.N, r.TargetPercentile.P))
	r.QueryLatency = LatencySummary{}
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = EarlyStopping{Met: true, Percentile: r.TargetPercentile.P, QueriesProcessed: r.QueryCount}
	r.IssueDelay, _ = describe(issueDelays(p), 0).at()
	r.SamplesPerSec = rate(d.N, d.Max)
	r.inferTokens(r.SamplesPerSec)
	r.MetricName, r.MetricUnit, r.Metric = "samples per second", "samples/s", r.SamplesPerSec
}

// judgeTokens replaces the rates, over the longest latency here; the tokens' own latencies do not matter.
func (offline) judgeTokens(t *TokenResult, _ *series, r *Result) {
	t.PerSec, t.WithOverhead, t.WithoutOverhead = rate(int(t.Count), int64(r.Latency.Max)), 0, 0
	r.MetricName, r.MetricUnit, r.Metric = "tokens per second", "tokens/s", t.PerSec
}

func (offline) duration(_ *series, r *Result) (time.Duration, string) {
	return r.Latency.Max, "until the last sample was answered"
}

func (offline) leastQueries(earlystop.Criterion) uint64 { return 0 }

func (offline) durationText() string {
	return "Increase expected QPS so the loadgen pre-generates a larger (coalesced) query."
}

// durationHint says which expected rate gives a query that is long enough.
func (offline) durationHint(_ *series, r *Result) string {
	samples := count(offlineReserve * r.Effective.MinDuration.Seconds() * r.SamplesPerSec)
	return fmt.Sprintf("Set target_qps (the expected rate, %s now) to %s, the measured rate: "+
		"the query then has %s samples instead of %s.",
		significant(r.Requested.OfflineExpectedQPS, 6), significant(r.SamplesPerSec, 4), grouped(samples),
		grouped(r.SampleCount))
}

func (offline) headline(r *Result) []mllog.Field {
	rate := []mllog.Field{{Label: "Samples per second", Value: double(r.SamplesPerSec)}}
	if r.Tokens != nil {
		rate = append(rate, mllog.Field{Label: "Tokens per second", Value: double(r.Tokens.PerSec)})
	}
	if r.Requested.InferTokenLatencies {
		rate = append(rate, mllog.Field{Label: "Tokens per second (inferred)", Value: double(r.InferredTokensPerSec)})
	}
	return rate
}

// statistics of a token run end with an empty block.
func (offline) statistics(r *Result) [][]mllog.Field {
	stats := [][]mllog.Field{latencyFields(r.Latency)}
	if r.Tokens != nil {
		stats = append(stats, nil)
	}
	return stats
}

func (offline) results(g *runLog, r *Result) { g.log("result_samples_per_second", r.SamplesPerSec) }

func (offline) tokenResults(g *runLog, r *Result) {
	if r.Tokens != nil {
		g.log("result_tokens_per_second", r.Tokens.PerSec)
	}
	if r.Requested.InferTokenLatencies {
		g.log("result_inferred_tokens_per_second", r.InferredTokensPerSec)
	}
}
