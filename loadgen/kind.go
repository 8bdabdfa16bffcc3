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
	mostGenerated(n uint64) uint64
	// oneQuery reports whether a single query contains all samples. Such a run has no early stopping, and no limit cuts it
	// short.
	oneQuery() bool

	// records returns what is recorded of each sample of a token run.
	records() record.Kind
	// threads returns the number of goroutines that issue queries.
	threads(s TestSettings) int
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
	limited(r *Result) bool
	// perQuery returns the time between two queries.
	perQuery(r *Result) time.Duration

	// durationText returns the official advice after a run that was too short, and durationHint returns ours.
	durationText() string
	durationHint(p *testSeries, r *Result) string
	// earlyStoppingReason explains why the percentile is not trustworthy. stoppedEarly returns the scenario's own limit
	// that ended the run, or "".
	earlyStoppingReason(p *testSeries, r *Result) Reason
	stoppedEarly(p *testSeries, r *Result) string
	// lateIssue returns a text if queries were issued so late that their latencies are affected, or "".
	lateIssue(r *Result) string

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

func (plainScenario) check(f *faultList, s TestSettings) { f.someQueries(s) }

func (plainScenario) checkFit(*faultList, TestSettings, EffectiveSettings, qslCounts) {}

func (plainScenario) padding(EffectiveSettings) uint64 { return 0 }

func (plainScenario) expectedSamples(e EffectiveSettings) uint64 {
	return expectedQueries(e) * e.SamplesPerQuery
}

func (plainScenario) mostGenerated(n uint64) uint64 { return n }

func (plainScenario) oneQuery() bool { return false }

func (plainScenario) records() record.Kind { return record.FirstTokens }

func (plainScenario) threads(TestSettings) int { return 1 }

func (plainScenario) newOutlook(*testRun, *queryIssuer) *runOutlook { return nil }

func (plainScenario) limited(*Result) bool { return false }

func (plainScenario) perQuery(r *Result) time.Duration { return r.QueryLatency.Mean }

func (plainScenario) earlyStoppingReason(_ *testSeries, r *Result) Reason { return tooFewQueries(r) }

func (plainScenario) stoppedEarly(*testSeries, *Result) string { return "" }

func (plainScenario) lateIssue(*Result) string { return "" }

func (plainScenario) trace(w *mllog.TraceWriter, s mllog.TraceSample, first int64) error {
	if first <= 0 {
		return nil
	}
	s.Latency = first
	return w.Token(s)
}

// oneAtATime implements the common behaviour of SingleStream and MultiStream, which issue a query after the answer to
// the previous one.
type oneAtATime struct{ plainScenario }

func (oneAtATime) prepare(x *queryIssuer, _ TestSettings) {
	x.issued = make([]int64, x.plan.Queries)
	x.scheduled = x.issued
}

func (oneAtATime) issueAll(ctx context.Context, x *queryIssuer) error { return x.issueChained(ctx) }

func (oneAtATime) duration(p *testSeries, _ *Result) (time.Duration, string) {
	return time.Duration(p.lastIssue()), "until the last query was issued"
}

func (oneAtATime) leastQueries(c earlystop.Criterion) uint64 { return c.Required() }

func (oneAtATime) durationText() string {
	return "Decrease the expected latency so the loadgen pre-generates more queries."
}

func (oneAtATime) durationHint(p *testSeries, r *Result) string { return streamHint(p, r) }

func (oneAtATime) tokenResults(g *runLog, r *Result) { g.tokenLatencies(r) }

// setStreamMetric sets the headline to the early-stopping estimate, or to the plain percentile if there is none.
func (r *Result) streamMetric(what string) {
	r.MetricName, r.MetricUnit = percentileName(r.TargetPercentile.P)+" percentile "+what, "ns"
	r.Metric = float64(r.TargetPercentile.Latency)
	if r.EarlyStopping.Met && !r.Effective.NoEarlyStopping {
		r.Metric = float64(r.EarlyStopping.Estimate)
	}
}
