package loadgen

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/earlystop"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// kind is what differs between the scenarios. Its four values stand in singlestream.go, multistream.go, server.go and
// offline.go; all else is common.
type kind interface {
	// check lists what the scenario does not allow together, of settings that are good by themselves.
	check(f *faults, s TestSettings)
	// checkFit does so once the samples are known.
	checkFit(f *faults, s TestSettings, e EffectiveSettings, q qslCounts)
	// effective applies the scenario's rules to e, which holds what all scenarios share.
	effective(e *EffectiveSettings, s TestSettings, q qslCounts)

	// threads is how many goroutines issue queries.
	threads(s TestSettings) int
	// prepare allocates what x writes while its clock runs, except for its recorder, which it has.
	prepare(x *issuer, s TestSettings)
	// issueAll issues the queries of x.
	issueAll(ctx context.Context, x *issuer) error

	// judge fills in the metrics, the early stopping and the latency condition of r.
	judge(p *series, r *Result)
	// judgeTokens does so for what tokens decide, in a token run. Tokens are counted already.
	judgeTokens(t *TokenResult, p *series, r *Result)
	// duration is what is compared with the minimum duration, and until names the moment that it reaches to.
	duration(p *series, r *Result) (d time.Duration, until string)
	// leastQueries is from how many queries on early stopping may be met.
	leastQueries(c earlystop.Criterion) uint64
	// perQuery is the time between two queries.
	perQuery(r *Result) time.Duration

	// durationText is the official advice after a run that was too short, and durationHint ours.
	durationText() string
	durationHint(p *series, r *Result) string

	// headline and statistics are parts of the summary log.
	headline(r *Result) []mllog.Field
	statistics(r *Result) [][]mllog.Field
	// results and tokenResults write the scenario's own entries of the detail log.
	results(g *runLog, r *Result)
	tokenResults(g *runLog, r *Result)
}

// kind is nil for a number that is no scenario.
func (s Scenario) kind() kind {
	switch s {
	case SingleStream:
		return singleStream{}
	case MultiStream:
		return multiStream{}
	case Server:
		return server{}
	case Offline:
		return offline{}
	}
	return nil
}

// kind is that of the run.
func (r *Result) kind() kind { return r.Effective.Scenario.kind() }

// limited says whether a latency limit decides over the run.
func (r *Result) limited() bool { return r.Effective.Scenario == Server || r.Intervals != nil }

// plain is a scenario that has nothing of its own: what each does unless it says otherwise.
type plain struct{}

func (plain) check(f *faults, s TestSettings) { f.someQueries(s) }

func (plain) checkFit(*faults, TestSettings, EffectiveSettings, qslCounts) {}

// oneAtATime is what SingleStream and MultiStream have in common: a query is issued when the one before is answered.
type oneAtATime struct{ plain }

func (oneAtATime) threads(TestSettings) int { return 1 }

func (oneAtATime) prepare(x *issuer, _ TestSettings) {
	x.issued = make([]int64, x.plan.Queries)
	x.scheduled = x.issued
}

func (oneAtATime) issueAll(ctx context.Context, x *issuer) error { return x.chained(ctx) }

func (oneAtATime) duration(p *series, _ *Result) (time.Duration, string) {
	return time.Duration(p.lastIssue()), "until the last query was issued"
}

func (oneAtATime) leastQueries(c earlystop.Criterion) uint64 { return c.Required() }

func (oneAtATime) perQuery(r *Result) time.Duration { return r.QueryLatency.Mean }

func (oneAtATime) durationText() string {
	return "Decrease the expected latency so the loadgen pre-generates more queries."
}

func (oneAtATime) durationHint(p *series, r *Result) string { return streamHint(p, r) }

func (oneAtATime) tokenResults(g *runLog, r *Result) { g.tokenLatencies(r) }

// streamMetric makes the early-stopping estimate the headline, or the plain percentile where there is none.
func (r *Result) streamMetric(what string) {
	r.MetricName, r.MetricUnit = percentileName(r.TargetPercentile.P)+" percentile "+what, "ns"
	r.Metric = float64(r.TargetPercentile.Latency)
	if r.EarlyStopping.Met && !r.Effective.NoEarlyStopping {
		r.Metric = float64(r.EarlyStopping.Estimate)
	}
}
