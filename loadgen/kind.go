package loadgen

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// scenarioKind is what differs between the scenarios. Its four values stand in singlestream.go, multistream.go,
// server.go and offline.go; all else is common.
type scenarioKind interface {
	// check lists what the scenario does not allow together, of settings that are good by themselves.
	check(f *faultList, s TestSettings)
	// checkFit does so once the samples are known.
	checkFit(f *faultList, s TestSettings, e EffectiveSettings, q qslCounts)
	// effective applies the scenario's rules to e, which holds what all scenarios share.
	effective(e *EffectiveSettings, s TestSettings, q qslCounts)

	// padding is how many entries are repeated at the end of each loaded set.
	padding(e EffectiveSettings) uint64
	// expectedSamples is how many samples the target rate makes in the minimum duration.
	expectedSamples(e EffectiveSettings) uint64
	// mostGenerated bounds the queries that are generated where n are expected.
	mostGenerated(n uint64) uint64
	// oneQuery says that a single query holds all samples: no limit cuts it short, and early stopping has no say.
	oneQuery() bool

	// records is what is recorded of each sample of a token run.
	records() record.Kind
	// threads is how many goroutines issue queries.
	threads(s TestSettings) int
	// prepare allocates what x writes while its clock runs, except for its recorder, which it has.
	prepare(x *queryIssuer, s TestSettings)
	// issueAll issues the queries of x.
	issueAll(ctx context.Context, x *queryIssuer) error
	// newOutlook watches a performance series for the moment from which it can only end INVALID; nil: nothing shows it.
	newOutlook(t *testRun, x *queryIssuer) *runOutlook

	// judge fills in the metrics, the early stopping and the latency condition of r.
	judge(p *testSeries, r *Result)
	// judgeTokens does so for what tokens decide, in a token run. Tokens are counted already.
	judgeTokens(t *TokenResult, p *testSeries, r *Result)
	// duration is what is compared with the minimum duration, and until names the moment that it reaches to.
	duration(p *testSeries, r *Result) (d time.Duration, until string)
	// leastQueries is from how many queries on early stopping may be met.
	leastQueries(c earlystop.Criterion) uint64
	// limited says whether a latency limit decides over the run.
	limited(r *Result) bool
	// perQuery is the time between two queries.
	perQuery(r *Result) time.Duration

	// durationText is the official advice after a run that was too short, and durationHint ours.
	durationText() string
	durationHint(p *testSeries, r *Result) string
	// earlyStoppingReason says why the percentile cannot be trusted, and stoppedEarly which limit of the scenario's own
	// ended the run.
	earlyStoppingReason(p *testSeries, r *Result) Reason
	stoppedEarly(p *testSeries, r *Result) string
	// lateIssue says that queries were issued so late that it shows in their latencies, or is empty.
	lateIssue(r *Result) string

	// headline and statistics are parts of the summary log.
	headline(r *Result) []mllog.Field
	statistics(r *Result) [][]mllog.Field
	// results and tokenResults write the scenario's own entries of the detail log.
	results(g *runLog, r *Result)
	tokenResults(g *runLog, r *Result)
	// trace writes the events of a sample before its own, first being the time to its first token (0: none is recorded).
	trace(w *mllog.TraceWriter, s mllog.TraceSample, first int64) error
}

// kindOf is nil for a number that is no scenario.
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

// kindOf is that of the run.
func (r *Result) kindOf() scenarioKind { return r.Effective.Scenario.kindOf() }

// plainScenario is a scenario that has nothing of its own: what each does unless it says otherwise.
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

// oneAtATime is what SingleStream and MultiStream have in common: a query is issued when the one before is answered.
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

// streamMetric makes the early-stopping estimate the headline, or the plain percentile where there is none.
func (r *Result) streamMetric(what string) {
	r.MetricName, r.MetricUnit = percentileName(r.TargetPercentile.P)+" percentile "+what, "ns"
	r.Metric = float64(r.TargetPercentile.Latency)
	if r.EarlyStopping.Met && !r.Effective.NoEarlyStopping {
		r.Metric = float64(r.EarlyStopping.Estimate)
	}
}
