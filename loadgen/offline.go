package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// offlineScenario issues one query with all samples. Its result is a rate.
type offlineScenario struct{ plainScenario }

func (offlineScenario) checkFit(f *faultList, s TestSettings, e EffectiveSettings, q qslCounts) {
	f.requireThat(!s.PerformanceIssueUnique || s.Mode == AccuracyOnly || e.PerformanceSampleCount <= uint64(q.total),
		"performance_issue_unique asks for %d different samples, but the QSL has %d: lower "+
			"performance_sample_count_override", e.PerformanceSampleCount, q.total)
}

const (
	offlinePercentile = 0.99 // fixed, without a setting
	offlineReserve    = 1.1  // factor on the number of samples that the expected rate needs
)

func (offlineScenario) effective(e *EffectiveSettings, s TestSettings, _ qslCounts) {
	e.TargetQPS = s.OfflineExpectedQPS
	e.TargetLatencyPercentile = offlinePercentile
	e.SamplesPerQuery = max(s.MinQueryCount, truncateToCount(offlineReserve*minSeconds(s)*s.OfflineExpectedQPS))
	if s.issuesLoadedCount() {
		e.SamplesPerQuery = e.PerformanceSampleCount
	}
	e.MinQueryCount, e.TargetDuration = 1, 0
}

// expectedSamples returns expectedQueries, because the target rate counts samples.
func (offlineScenario) expectedSamples(e EffectiveSettings) uint64 { return expectedQueries(e) }

func (offlineScenario) hasOneQuery() bool { return true }

// recordKind omits first tokens, which have no effect in Offline.
func (offlineScenario) recordKind() record.Kind { return record.Tokens }

func (offlineScenario) prepare(x *queryIssuer, _ TestSettings) {
	x.scheduled, x.issued = make([]int64, x.plan.Queries), make([]int64, x.plan.Queries)
}

func (offlineScenario) issueAll(ctx context.Context, x *queryIssuer) error {
	return x.issueChained(ctx)
}

func (offlineScenario) judge(p *testSeries, r *Result) {
	r.PerformanceConstraintsMet = true
	d := describeLatencies(sampleLatencies(p), 0)
	var at []time.Duration
	r.Latency, at = d.latenciesAt(percentileRank(d.N, r.TargetPercentile.P))
	r.QueryLatency = LatencySummary{}
	r.TargetPercentile.Latency = at[0]
	r.EarlyStopping = EarlyStopping{Met: true, Percentile: r.TargetPercentile.P, QueriesProcessed: r.QueryCount}
	r.IssueDelay, _ = describeLatencies(issueDelays(p), 0).latenciesAt()
	r.SamplesPerSec = ratePerSecond(d.N, d.Max)
	r.inferTokens(r.SamplesPerSec)
	r.MetricName, r.MetricUnit, r.Metric = "samples per second", "samples/s", r.SamplesPerSec
}

// judgeTokens sets the rates over the longest latency. The tokens' own latencies have no effect.
func (offlineScenario) judgeTokens(t *TokenResult, _ *testSeries, r *Result) {
	t.PerSec, t.WithOverhead, t.WithoutOverhead = ratePerSecond(int(t.Count), int64(r.Latency.Max)), 0, 0
	r.MetricName, r.MetricUnit, r.Metric = "tokens per second", "tokens/s", t.PerSec
}

func (offlineScenario) duration(_ *testSeries, r *Result) (time.Duration, string) {
	return r.Latency.Max, "until the last sample was answered"
}

func (offlineScenario) leastQueries(earlystop.Criterion) uint64 { return 0 }

func (offlineScenario) durationText() string {
	return "Increase expected QPS so the loadgen pre-generates a larger (coalesced) query."
}

// durationHint returns the expected rate with which the query is long enough.
func (offlineScenario) durationHint(_ *testSeries, r *Result) string {
	samples := truncateToCount(offlineReserve * r.Effective.MinDuration.Seconds() * r.SamplesPerSec)
	return fmt.Sprintf("Set target_qps (the expected rate, %s now) to %s, the measured rate: "+
		"the query then has %s samples instead of %s.",
		roundSignificant(r.Requested.OfflineExpectedQPS, 6), roundSignificant(r.SamplesPerSec, 4), groupDigits(samples),
		groupDigits(r.SampleCount))
}

func (offlineScenario) headline(r *Result) []mllog.Field {
	rate := []mllog.Field{{Label: "Samples per second", Value: doubleText(r.SamplesPerSec)}}
	if r.Tokens != nil {
		rate = append(rate, mllog.Field{Label: "Tokens per second", Value: doubleText(r.Tokens.PerSec)})
	}
	if r.Requested.InferTokenLatencies {
		rate = append(rate, mllog.Field{Label: "Tokens per second (inferred)", Value: doubleText(r.InferredTokensPerSec)})
	}
	return rate
}

// statistics returns the summary's blocks. Those of a token run end with an empty block.
func (offlineScenario) statistics(r *Result) [][]mllog.Field {
	stats := [][]mllog.Field{latencyFields(r.Latency)}
	if r.Tokens != nil {
		stats = append(stats, nil)
	}
	return stats
}

func (offlineScenario) results(g *runLog, r *Result) {
	g.logValue("result_samples_per_second", r.SamplesPerSec)
}

func (offlineScenario) tokenResults(g *runLog, r *Result) {
	if r.Tokens != nil {
		g.logValue("result_tokens_per_second", r.Tokens.PerSec)
	}
	if r.Requested.InferTokenLatencies {
		g.logValue("result_inferred_tokens_per_second", r.InferredTokensPerSec)
	}
}
