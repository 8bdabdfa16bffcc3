package loadgen

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// scenarioKind contains the differences between the scenarios. singlestream.go, multistream.go, server.go and
// offline.go contain its four implementations. All other code is the same for all scenarios.
type scenarioKind interface {
	// check reports combinations of settings that the scenario does not allow. The settings must be valid separately.
	check(f *faultList, s TestSettings)
	// checkFit reports combinations of settings and sample counts that the scenario does not allow.
	checkFit(f *faultList, s TestSettings, e EffectiveSettings, q qslCounts)
	// effective applies the scenario's rules to e, which contains the settings that all scenarios share.
	effective(e *EffectiveSettings, s TestSettings, q qslCounts)

	// padding returns the number of entries that are repeated at the end of each loaded set.
	padding(e EffectiveSettings) uint64
	// expectedSamples returns the number of samples at the target rate in the minimum duration.
	expectedSamples(e EffectiveSettings) uint64
	// maxGenerated returns the maximum number of generated queries if n are expected.
	maxGenerated(n uint64) uint64
	// hasOneQuery reports whether a single query contains all samples. Such a run has no early stopping, and no limit cuts
	// it short.
	hasOneQuery() bool

	// recordKind returns what is recorded of each sample of a token run.
	recordKind() record.Kind
	// threadCount returns the number of goroutines that issue queries.
	threadCount(s TestSettings) int
	// prepare allocates the memory that x writes while its clock runs, except for its recorder.
	prepare(x *queryIssuer, s TestSettings)
	// issueAll issues the queries of x.
	issueAll(ctx context.Context, x *queryIssuer) error
	// newOutlook returns a watcher that detects when a performance series can only end INVALID, or nil if it cannot be
	// detected.
	newOutlook(t *testRun, x *queryIssuer) *runOutlook

	// judge sets the metrics, the early stopping and the latency condition of r.
	judge(p *testSeries, r *Result)
	// judgeTokens sets the results that depend on tokens in a token run. Tokens are already counted.
	judgeTokens(t *TokenResult, p *testSeries, r *Result)
	// duration returns the duration that is compared with the minimum duration, and the name of its end.
	duration(p *testSeries, r *Result) (d time.Duration, until string)
	// leastQueries returns the minimum number of queries with which early stopping can be met.
	leastQueries(c earlystop.Criterion) uint64
	// hasLimit reports whether a latency limit decides over the run.
	hasLimit(r *Result) bool
	// timePerQuery returns the time between two queries.
	timePerQuery(r *Result) time.Duration

	// durationText returns the official advice after a run that was too short, and durationHint returns ours.
	durationText() string
	durationHint(p *testSeries, r *Result) string
	// earlyStoppingReason explains why the percentile is not trustworthy. stoppingLimit returns the scenario's own limit
	// that ended the run, or "".
	earlyStoppingReason(p *testSeries, r *Result) Reason
	ownStoppingLimit(p *testSeries, r *Result) string
	// lateIssueText returns a text if queries were issued so late that their latencies are affected, or "".
	lateIssueText(r *Result) string

	// headline and statistics return parts of the summary log.
	headline(r *Result) []mllog.Field
	statistics(r *Result) [][]mllog.Field
	// results and tokenResults write the scenario's entries of the detail log.
	results(g *runLog, r *Result)
	tokenResults(g *runLog, r *Result)
	// trace writes the events that precede a sample's own events. first is the time to its first token (0: not recorded).
	trace(w *mllog.TraceWriter, s mllog.TraceSample, first int64) error
}

// kindOf returns the kind of a scenario, or nil if the number is not a scenario.
func (s Scenario) kindOf() scenarioKind {
	switch s {
	case SingleStream:
		return singleStream{}
	case MultiStream:
		return multiStream{}
	case Server:
		return serverScenario{}
	case Offline:
		return offlineScenario{}
	}
	return nil
}

// kindOf returns the kind of the run's scenario.
func (r *Result) kindOf() scenarioKind { return r.Effective.Scenario.kindOf() }

// plainScenario implements the default behaviour of scenarios.
type plainScenario struct{}

func (plainScenario) check(f *faultList, s TestSettings) { f.requireQueries(s) }

func (plainScenario) checkFit(*faultList, TestSettings, EffectiveSettings, qslCounts) {}

func (plainScenario) padding(EffectiveSettings) uint64 { return 0 }

func (plainScenario) expectedSamples(e EffectiveSettings) uint64 {
	return expectedQueries(e) * e.SamplesPerQuery
}

func (plainScenario) maxGenerated(n uint64) uint64 { return n }

func (plainScenario) hasOneQuery() bool { return false }

func (plainScenario) recordKind() record.Kind { return record.FirstTokens }

func (plainScenario) threadCount(TestSettings) int { return 1 }

func (plainScenario) newOutlook(*testRun, *queryIssuer) *runOutlook { return nil }

func (plainScenario) hasLimit(*Result) bool { return false }

func (plainScenario) timePerQuery(r *Result) time.Duration { return r.QueryLatency.Mean }

func (plainScenario) earlyStoppingReason(_ *testSeries, r *Result) Reason {
	return tooFewQueriesReason(r)
}

func (plainScenario) ownStoppingLimit(*testSeries, *Result) string { return "" }

func (plainScenario) lateIssueText(*Result) string { return "" }

func (plainScenario) trace(w *mllog.TraceWriter, s mllog.TraceSample, first int64) error {
	if first <= 0 {
		return nil
	}
	s.Latency = first
	return w.Token(s)
}

// chainedScenario implements the common behaviour of SingleStream and MultiStream, which issue a query after the answer
// to the previous one.
type chainedScenario struct{ plainScenario }

func (chainedScenario) prepare(x *queryIssuer, _ TestSettings) {
	x.issued = make([]int64, x.plan.Queries)
	x.scheduled = x.issued
}

func (chainedScenario) issueAll(ctx context.Context, x *queryIssuer) error {
	return x.issueChained(ctx)
}

func (chainedScenario) duration(p *testSeries, _ *Result) (time.Duration, string) {
	return time.Duration(p.lastIssue()), "until the last query was issued"
}

func (chainedScenario) leastQueries(c earlystop.Criterion) uint64 { return c.Required() }

func (chainedScenario) durationText() string {
	return "Decrease the expected latency so the loadgen pre-generates more queries."
}

func (chainedScenario) durationHint(p *testSeries, r *Result) string { return streamHint(p, r) }

func (chainedScenario) tokenResults(g *runLog, r *Result) { g.logTokenLatencies(r) }

// setStreamMetric sets the headline to the early-stopping estimate, or to the plain percentile if there is none.
func (r *Result) setStreamMetric(what string) {
	r.MetricName, r.MetricUnit = percentileName(r.TargetPercentile.P)+" percentile "+what, "ns"
	r.Metric = float64(r.TargetPercentile.Latency)
	if r.EarlyStopping.Met && !r.Effective.NoEarlyStopping {
		r.Metric = float64(r.EarlyStopping.Estimate)
	}
}
