package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// drainGrace is how long LoadGen waits for outstanding samples after the user ended the test.
const drainGrace = 2 * time.Second

// queryIssuer issues the queries of one series to the SUT.
type queryIssuer struct {
	sut       SUT
	responder *testResponder
	log       *runLog
	limits    EffectiveSettings
	accuracy  bool
	coalesce  bool
	lanes     []*issueLane // only Server
	spin      bool
	progress  *Progress

	plan       schedule.Plan
	first      uint32        // response id of the first sample
	query      []QuerySample // buffer for IssueQuery; Server's lanes have their own
	recordKind record.Kind
	rec        *record.Recorder
	clock      *pace.Clock

	outlook *runOutlook    // nil if latencies do not decide over the verdict
	skips   *intervalSkips // nil if skipped intervals do not decide over the verdict
	pauses  pauseList

	delays            record.Delays // only Server, instead of issued
	scheduled, issued []int64       // per query; valid after rec reports the query as issued
	flushed           bool
}

// newIssuer allocates all memory that the series writes while its clock runs.
func (t *testRun) newIssuer(plan schedule.Plan, accuracy bool) *queryIssuer {
	x := &queryIssuer{
		sut: t.sut, responder: t.responder, log: t.log, limits: t.effective, accuracy: accuracy,
		spin: t.logs.Spin, progress: t.progress,
		plan: plan, first: uint32(t.nextID),
	}
	k := t.effective.Scenario.kindOf()
	if x.recordKind = record.Latencies; t.settings.UseTokenLatencies {
		x.recordKind = k.recordKind()
	}
	x.rec = record.New(x.first, plan.Total(), x.recordKind, k.threadCount(t.settings))
	k.prepare(x, t.settings)
	if x.lanes == nil {
		x.query = make([]QuerySample, plan.SamplesPerQuery)
	}
	return x
}

// issueAll issues the queries, flushes, and waits for the answers.
func (x *queryIssuer) issueAll(ctx context.Context, a *seriesAnswers) error {
	if x.lanes == nil {
		x.fillQuery(0) // Offline's query is long and is made before the clock starts
	}
	x.clock = pace.Start(ctx)
	a.clock = x.clock
	x.responder.current.Store(a)
	x.progress.beginClock(x)
	defer x.watchOutlook()()
	defer x.pauses.watchClocks(x.clock)()
	if err := x.limits.Scenario.kindOf().issueAll(ctx, x); err != nil {
		return err
	}
	x.query, x.lanes = nil, nil // Offline's query is as large as the records
	if err := x.flushQueries(ctx); err != nil {
		return err
	}
	if !x.awaitSamples(ctx, x.rec.Issued()) {
		return x.interruptedError(ctx)
	}
	return nil
}

// watchOutlook watches the outlook of the run until stop is called. On virtual time the issuing goroutine does that.
func (x *queryIssuer) watchOutlook() (stop func()) {
	if x.outlook == nil || x.clock.Virtual() {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		x.outlook.watchRun(done)
	}()
	return func() { close(done); <-ended }
}

func (x *queryIssuer) flushQueries(ctx context.Context) error {
	x.progress.enterPhase(PhaseDraining)
	x.flushed = true
	if err := x.sut.FlushQueries(ctx); err != nil {
		return fmt.Errorf("SUT %s: flushing the queries: %w", x.sut.Name(), err)
	}
	return nil
}

// issueChained issues each query after the answer to the previous one.
func (x *queryIssuer) issueChained(ctx context.Context) error {
	perQuery := uint64(x.plan.SamplesPerQuery)
	done := ctx.Done()
	for q := range x.plan.Queries {
		if q > 0 {
			if !x.awaitSamples(ctx, uint64(q)*perQuery) || isClosed(done) {
				return x.interruptedError(ctx)
			}
			x.fillQuery(q)
		}
		at := x.clock.Now()
		if err := x.issueQuery(ctx, q, at); err != nil {
			return err
		}
		if !x.accuracy && x.isEnded(uint64(q+1), at) {
			return nil
		}
	}
	if !x.accuracy {
		x.logRanOut()
	}
	return nil
}

// isEnded reports whether a series without a schedule ends after issued queries, of which the last was issued at a
// time. It ends when it is long enough or reaches a limit.
func (x *queryIssuer) isEnded(issued uint64, at int64) bool {
	if issued >= x.limits.MinQueryCount && at >= int64(x.limits.TargetDuration) {
		x.log.logMessage("Ending naturally: Minimum query count and test duration met.")
		return true
	}
	return x.isOverLimit(0, x.limits.MaxQueryCount, issued, at)
}

// logRanOut logs that there were too few generated queries.
func (x *queryIssuer) logRanOut() {
	x.log.logError("Ending early: Ran out of generated queries to issue before the minimum query count and " +
		"test duration were reached. Please update the relevant expected latency or target qps in the TestSettings " +
		"so they are more accurate.")
}

// fillQuery writes query q into the buffer for IssueQuery.
func (x *queryIssuer) fillQuery(q int) {
	first := q * len(x.query)
	id := x.first + uint32(first)
	samples := x.plan.Samples
	at := first % len(samples) // Offline repeats its samples
	for i := range x.query {
		x.query[i] = QuerySample{ID: ResponseID(id + uint32(i)), Index: SampleIndex(samples[at])}
		if at++; at == len(samples) {
			at = 0
		}
	}
}

// issueQuery passes the buffered query q to the SUT and records the time at as its issue.
func (x *queryIssuer) issueQuery(ctx context.Context, q int, at int64) error {
	x.issued[q] = at
	x.rec.Issue(0, uint64(q+1)*uint64(len(x.query)))
	err := x.sut.IssueQuery(ctx, Query{Samples: x.query}, x.responder)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // not a fault of the SUT
		return x.interruptedError(ctx)
	}
	return fmt.Errorf("SUT %s: issuing query %d: %w", x.sut.Name(), q, err)
}

// isOverLimit reports whether a lane reached a limit of the test after issued queries, of which the last was issued at
// a time.
func (x *queryIssuer) isOverLimit(lane int, maxQueries, issued uint64, at int64) bool {
	if maxQueries != 0 && issued >= maxQueries {
		x.logEarlyEnd(lane, fmt.Sprintf("Max query count reached. query_count %d", issued))
		return true
	}
	if x.limits.MaxDuration != 0 && at > int64(x.limits.MaxDuration) {
		x.logEarlyEnd(lane, fmt.Sprintf("Max test duration reached. duration_ns %d", at))
		return true
	}
	return false
}

// logEarlyEnd logs why a lane stops before its last query.
func (x *queryIssuer) logEarlyEnd(lane int, why string) {
	x.log.logError(fmt.Sprintf("IssueQueryThread %d Ending early: %s", lane, why))
}

// awaitSamples returns true when the first n samples are answered, or false if ctx ends before.
func (x *queryIssuer) awaitSamples(ctx context.Context, n uint64) bool {
	for x.rec.Completed() < n {
		if !x.clock.Step() {
			return x.rec.Await(ctx, n)
		}
	}
	return true
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// interruptedError returns why ctx ended. If the user ended the test, it first waits drainGrace for outstanding
// samples. If the SUT failed, it does not wait.
func (x *queryIssuer) interruptedError(ctx context.Context) error {
	err := endCause(ctx)
	if endedByUser(err) && x.rec.Completed() < x.rec.Issued() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainGrace)
		defer cancel()
		if !x.flushed {
			_ = x.flushQueries(grace) // the test has already failed
		}
		x.awaitSamples(grace, x.rec.Issued())
	}
	if left := x.rec.Issued() - x.rec.Completed(); left > 0 {
		return fmt.Errorf("%w; %d of %d issued samples were not answered", err, left, x.rec.Issued())
	}
	return err
}
