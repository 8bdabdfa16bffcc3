package loadgen

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// serverScenario issues queries of one sample at random times with a mean rate. Its result is the rate, if a percentile
// of the latencies meets a limit.
type serverScenario struct{ plainScenario }

func (k serverScenario) check(f *faultList, s TestSettings) {
	k.plainScenario.check(f, s)
	f.requireThat(s.MinQueryCount > 0 || !s.SampleConcatenatePermutation,
		"min_query_count = 0 with sample_concatenate_permutation: issuing every sample equally often needs a count of at "+
			"least 1")
	f.checkThreads(s)
}

// maxThreads is the maximum number of issuing goroutines, each of which owns a thread while it issues.
const maxThreads = 1024

// checkThreads checks the number of issuing goroutines. Each needs a share of the limits that are divided among them.
func (f *faultList) checkThreads(s TestSettings) {
	n := s.ServerNumIssueQueryThreads
	if n == 0 {
		return
	}
	f.requireThat(n <= maxThreads, "server_num_issue_query_threads = %d, want at most %d", n, maxThreads)
	f.requireThat(s.ServerMaxAsyncQueries == 0 || s.ServerMaxAsyncQueries >= n,
		"server_max_async_queries = %d is divided among %d issue threads: want 0 (no limit) or at least %d",
		s.ServerMaxAsyncQueries, n, n)
	f.requireThat(s.MaxQueryCount == 0 || s.MaxQueryCount >= n,
		"max_query_count = %d is divided among %d issue threads: want 0 (no limit) or at least %d", s.MaxQueryCount, n, n)
}

func (serverScenario) effective(e *EffectiveSettings, s TestSettings, _ qslCounts) {
	e.TargetQPS = s.ServerTargetQPS
	e.TargetLatency = s.ServerTargetLatency
	e.TargetLatencyPercentile = s.ServerTargetLatencyPercentile
	e.MaxAsyncQueries = s.ServerMaxAsyncQueries
}

func (serverScenario) threadCount(s TestSettings) int {
	return int(max(1, s.ServerNumIssueQueryThreads))
}

func (k serverScenario) prepare(x *queryIssuer, s TestSettings) {
	x.coalesce = s.ServerCoalesceQueries
	x.scheduled, x.delays = x.plan.Scheduled, make(record.Delays, x.plan.Queries)
	x.lanes = x.newLanes(k.threadCount(s))
}

func (serverScenario) issueAll(ctx context.Context, x *queryIssuer) error { return x.issuePaced(ctx) }

// maxGenerated allows for six standard deviations, because the number is drawn later.
func (serverScenario) maxGenerated(n uint64) uint64 { return n + uint64(6*math.Sqrt(float64(n))) }

func (serverScenario) newOutlook(t *testRun, x *queryIssuer) *runOutlook {
	if t.effective.Mode == FindPeakPerformance {
		return nil
	}
	o := &runOutlook{x: x, maxQueries: maxQueries(t.effective, uint64(x.plan.Queries)), report: t.markHopeless}
	o.maxLate = allowedLate(t.effective, o.maxQueries)
	if t.settings.UseTokenLatencies {
		o.limits = []lateCounter{
			{name: "TTFT", limit: int64(t.settings.ServerTTFTLatency), value: firstTokenSoFar},
			{name: "TPOT", limit: int64(t.settings.ServerTPOTLatency), value: outputTimeSoFar},
		}
	} else {
		o.limits = []lateCounter{{name: "latency", limit: int64(t.effective.TargetLatency), value: latencySoFar}}
	}
	return o
}

func (serverScenario) judge(p *testSeries, r *Result) {
	limit := r.Effective.TargetLatency
	d := describeLatencies(sampleLatencies(p), limit)
	latency, at := d.latenciesAt(percentileRank(d.N, r.TargetPercentile.P))
	r.Latency, r.QueryLatency = latency, latency
	r.TargetPercentile.Latency = at[0]
	r.PerformanceConstraintsMet = at[0] <= limit
	r.OverlatencyCount = uint64(d.Above)
	r.EarlyStopping = serverEarlyStopping(uint64(d.N), r.OverlatencyCount, r.TargetPercentile.P)
	r.IssueDelay, _ = describeLatencies(issueDelays(p), 0).latenciesAt()
	r.ScheduledSamplesPerSec = ratePerSecond(p.Queries-1, lastTime(p.Scheduled))
	r.CompletedSamplesPerSec = ratePerSecond(p.Queries-1, lastTime(p.Done))
	r.inferTokens(r.CompletedSamplesPerSec)
	r.MetricName, r.MetricUnit, r.Metric = "completed samples per second", "samples/s", r.CompletedSamplesPerSec
}

func (serverScenario) judgeTokens(t *TokenResult, p *testSeries, r *Result) {
	t.TTFT.Limit, t.TPOT.Limit = r.Requested.ServerTTFTLatency, r.Requested.ServerTPOTLatency
	for _, of := range t.inOrder(p) {
		d := describeLatencies(of.values, of.Limit)
		of.fillSummary(d, r.TargetPercentile.P)
		of.Over = uint64(d.Above)
		if of.TokenLatency == &t.TPOT || t.TPOT.EarlyStopping.Met {
			of.EarlyStopping = serverEarlyStopping(uint64(d.N), of.Over, r.TargetPercentile.P)
		}
	}
	r.PerformanceConstraintsMet = t.TTFT.isMet() && t.TPOT.isMet()
	r.EarlyStopping = t.decisiveStopping()
	r.MetricName, r.MetricUnit, r.Metric = "completed tokens per second", "tokens/s", t.PerSec
}

func (serverScenario) duration(p *testSeries, _ *Result) (time.Duration, string) {
	return time.Duration(lastTime(p.Scheduled)), "until the last query was due"
}

func (serverScenario) leastQueries(c earlystop.Criterion) uint64 { return c.MinPassing(0) }

func (serverScenario) hasLimit(*Result) bool { return true }

func (serverScenario) timePerQuery(r *Result) time.Duration {
	if r.Effective.TargetQPS > 0 {
		return time.Duration(1e9 / r.Effective.TargetQPS)
	}
	return r.QueryLatency.Mean
}

func (serverScenario) durationText() string {
	return "Increase the target QPS so the loadgen pre-generates more queries."
}

func (serverScenario) durationHint(*testSeries, *Result) string {
	return "Raise target_qps so that more queries are generated."
}

func (serverScenario) earlyStoppingReason(p *testSeries, r *Result) Reason {
	return tooManyLateReason(p, r)
}

func (serverScenario) ownStoppingLimit(p *testSeries, r *Result) string {
	e := r.Effective
	if e.MaxAsyncQueries == 0 || r.QueryCount >= p.GeneratedQueries {
		return ""
	}
	return fmt.Sprintf("%sMore than max_async_queries = %d queries were outstanding after %s queries; "+
		"raise it, set it to 0, or lower target_qps (%s now).",
		behindText(r), e.MaxAsyncQueries, groupDigits(r.QueryCount), roundSignificant(e.TargetQPS, 6))
}

// smallDelay is the share of the latency limit up to which an issue delay causes no note.
const smallDelay = 0.02

func (serverScenario) lateIssueText(r *Result) string {
	limit := r.Effective.TargetLatency
	if r.Tokens != nil {
		limit = r.Tokens.TTFT.Limit
	}
	for _, p := range r.IssueDelay.Percentiles {
		if p.P == 0.99 && float64(p.Latency) > smallDelay*float64(limit) {
			return fmt.Sprintf("1 %% of the queries were issued %s or more after they were due, %s the limit of %s, which "+
				"counts as latency: IssueQuery takes long, or the machine has no processor free for LoadGen.",
				humanDuration(p.Latency), humanShare(float64(p.Latency)/float64(limit)), humanDuration(limit))
		}
	}
	return ""
}

func (serverScenario) headline(r *Result) []mllog.Field {
	rate := []mllog.Field{{Label: "Completed samples per second", Value: twoDecimals(r.CompletedSamplesPerSec)}}
	if r.Tokens != nil {
		rate = append(rate, mllog.Field{Label: "Completed tokens per second", Value: twoDecimals(r.Tokens.PerSec)})
	}
	if r.Requested.InferTokenLatencies {
		inferred := twoDecimals(r.InferredTokensPerSec)
		rate = append(rate, mllog.Field{Label: "Completed tokens per second (inferred)", Value: inferred})
	}
	return rate
}

func (serverScenario) statistics(r *Result) [][]mllog.Field {
	rate := mllog.Field{Label: "Scheduled samples per second", Value: twoDecimals(scheduledRate(r))}
	stats := [][]mllog.Field{append([]mllog.Field{rate}, latencyFields(r.Latency)...)}
	if t := r.Tokens; t != nil {
		stats = append(stats, t.statistics(mllog.Field{Label: "Completed tokens per second",
			Value: twoDecimals(t.PerSec)})...)
	}
	return stats
}

// scheduledRate returns the scheduled rate in the form of the logs: the negative NaN of 0/0 for a single query.
func scheduledRate(r *Result) float64 {
	if r.QueryCount == 1 {
		return math.Copysign(math.NaN(), -1)
	}
	return r.ScheduledSamplesPerSec
}

func (serverScenario) results(g *runLog, r *Result) {
	g.logValue("result_overlatency_query_count", r.OverlatencyCount)
	g.logValue("result_scheduled_samples_per_sec", scheduledRate(r))
	g.logValue("result_completed_samples_per_sec", r.CompletedSamplesPerSec)
}

func (serverScenario) trace(w *mllog.TraceWriter, s mllog.TraceSample, first int64) error {
	token := s
	token.Latency = first
	if first > 0 {
		if err := w.TokenLatency(token); err != nil {
			return err
		}
	}
	return w.Latency(s)
}

func (serverScenario) tokenResults(g *runLog, r *Result) {
	g.logTokenLatencies(r)
	if r.Requested.InferTokenLatencies {
		g.logValue("result_inferred_completed_tokens_per_second", r.InferredTokensPerSec)
	}
}
