package loadgen

import (
	"context"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/pace"
	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// drainGrace is how long outstanding samples are awaited after the user ended the test.
const drainGrace = 2 * time.Second

// issuer drives the SUT through one series.
type issuer struct {
	sut      SUT
	out      *responder
	log      *runLog
	limits   EffectiveSettings
	accuracy bool
	coalesce bool
	spin     bool
	progress *Progress

	plan  schedule.Plan
	first uint32        // response id of the first sample
	query []QuerySample // what IssueQuery gets; with coalescing, as many samples as may be due at once
	kind  record.Kind
	rec   *record.Recorder
	clock *pace.Clock

	scheduled, issued []int64 // per query; of an issued query, once rec says so
	flushed           bool
}

// newIssuer allocates everything that the series writes while its clock runs.
func (t *test) newIssuer(plan schedule.Plan, accuracy bool) *issuer {
	x := &issuer{
		sut: t.sut, out: t.responder, log: t.log, limits: t.e, accuracy: accuracy, spin: t.l.Spin, progress: t.progress,
		plan: plan, first: uint32(t.nextID),
	}
	x.query = make([]QuerySample, plan.SamplesPerQuery)
	if t.e.Scenario == Server && t.s.ServerCoalesceQueries {
		x.coalesce, x.query = true, make([]QuerySample, len(plan.Samples))
	}
	x.kind = recordKind(t.s)
	x.rec = record.New(x.first, len(plan.Samples), x.kind)
	x.issued = make([]int64, plan.Queries)
	switch t.e.Scenario {
	case Server:
		x.scheduled = plan.Scheduled
	case Offline:
		x.scheduled = make([]int64, plan.Queries)
	default:
		x.scheduled = x.issued
	}
	return x
}

// recordKind says what a test records of each sample. Offline's first tokens do not matter.
func recordKind(s TestSettings) record.Kind {
	switch {
	case !s.UseTokenLatencies:
		return record.Latencies
	case s.Scenario == Offline:
		return record.Tokens
	}
	return record.FirstTokens
}

// run issues the queries, flushes, and waits for the answers.
func (x *issuer) run(ctx context.Context, a *answers) error {
	x.fill(0, 1) // Offline's query is long: it exists before the clock starts
	x.clock = pace.Start(ctx)
	a.clock = x.clock
	x.out.current.Store(a)
	x.progress.begin(x)
	if err := x.issueAll(ctx); err != nil {
		return err
	}
	x.query = nil // Offline's query is as large as what was recorded
	if err := x.flush(ctx); err != nil {
		return err
	}
	if !x.await(ctx, x.rec.Issued()) {
		return x.interrupted(ctx)
	}
	return nil
}

func (x *issuer) flush(ctx context.Context) error {
	x.progress.enter(PhaseDraining)
	x.flushed = true
	if err := x.sut.FlushQueries(ctx); err != nil {
		return fmt.Errorf("SUT %s: flushing the queries: %w", x.sut.Name(), err)
	}
	return nil
}

func (x *issuer) issueAll(ctx context.Context) error {
	if x.limits.Scenario == Server {
		return x.paced(ctx)
	}
	return x.chained(ctx)
}

// chained issues each query when the one before is answered.
func (x *issuer) chained(ctx context.Context) error {
	perQuery := uint64(x.plan.SamplesPerQuery)
	done := ctx.Done()
	for q := range x.plan.Queries {
		if q > 0 {
			if !x.await(ctx, uint64(q)*perQuery) || closed(done) {
				return x.interrupted(ctx)
			}
			x.fill(q, 1)
		}
		at := x.clock.Now()
		if err := x.issue(ctx, q, 1, at); err != nil {
			return err
		}
		if x.accuracy {
			continue
		}
		if uint64(q+1) >= x.limits.MinQueryCount && at >= int64(x.limits.TargetDuration) {
			x.log.message("Ending naturally: Minimum query count and test duration met.")
			return nil
		}
		if x.overLimit(uint64(q+1), at) {
			return nil
		}
	}
	if !x.accuracy {
		x.log.fail(keyRuntime, "Ending early: Ran out of generated queries to issue before the minimum query count and "+
			"test duration were reached. Please update the relevant expected latency or target qps in the TestSettings so they are more accurate.")
	}
	return nil
}

// paced issues each query when it is due.
func (x *issuer) paced(ctx context.Context) error {
	sleeper := pace.NewSleeper(ctx, x.clock, x.spin)
	defer sleeper.Close()
	done := ctx.Done()
	for q := 0; q < len(x.scheduled); {
		now := sleeper.Until(x.scheduled[q])
		if closed(done) {
			return x.interrupted(ctx)
		}
		n := x.due(q, now)
		x.fill(q, n)
		if err := x.issue(ctx, q, n, now); err != nil {
			return err
		}
		q += n
		if !x.accuracy && (x.tooManyOutstanding(uint64(q)) || x.overLimit(uint64(q), now)) {
			return nil
		}
	}
	return nil
}

// due is how many queries from q on are issued together: one, or with coalescing all that are due by now.
func (x *issuer) due(q int, now int64) int {
	n := 1
	if x.coalesce {
		for q+n < len(x.scheduled) && x.scheduled[q+n] <= now {
			n++
		}
	}
	return n
}

// fill writes n queries from q on into the buffer that IssueQuery gets.
func (x *issuer) fill(q, n int) {
	first := q * x.plan.SamplesPerQuery
	n *= x.plan.SamplesPerQuery
	id := x.first + uint32(first)
	query := x.query[:n]
	for i, index := range x.plan.Samples[first : first+n] {
		query[i] = QuerySample{ID: ResponseID(id + uint32(i)), Index: SampleIndex(index)}
	}
}

// issue hands the n queries from q on, which the buffer holds, to the SUT, as issued at the time.
func (x *issuer) issue(ctx context.Context, q, n int, at int64) error {
	for i := q; i < q+n; i++ {
		x.issued[i] = at
	}
	perQuery := x.plan.SamplesPerQuery
	x.rec.Issue(uint64(q+n) * uint64(perQuery))
	err := x.sut.IssueQuery(ctx, Query{Samples: x.query[:n*perQuery]}, x.out)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil { // no fault of the SUT's
		return x.interrupted(ctx)
	}
	return fmt.Errorf("SUT %s: issuing query %d: %w", x.sut.Name(), q, err)
}

const keyRuntime = "error_runtime"

func (x *issuer) tooManyOutstanding(issued uint64) bool {
	if x.limits.MaxAsyncQueries == 0 {
		return false
	}
	outstanding := issued - x.rec.Completed()
	if outstanding <= x.limits.MaxAsyncQueries {
		return false
	}
	x.log.fail(keyRuntime, fmt.Sprintf("IssueQueryThread 0 Ending early: Too many outstanding queries. issued %d outstanding %d", issued, outstanding))
	return true
}

// overLimit tells whether the test reached a limit of its settings after issued queries, the last of them at a time.
func (x *issuer) overLimit(issued uint64, at int64) bool {
	if x.limits.MaxQueryCount != 0 && issued >= x.limits.MaxQueryCount {
		x.log.fail(keyRuntime, fmt.Sprintf("IssueQueryThread 0 Ending early: Max query count reached. query_count %d", issued))
		return true
	}
	if x.limits.MaxDuration != 0 && at > int64(x.limits.MaxDuration) {
		x.log.fail(keyRuntime, fmt.Sprintf("IssueQueryThread 0 Ending early: Max test duration reached. duration_ns %d", at))
		return true
	}
	return false
}

// await returns true when the first n samples are answered, false when ctx ends before.
func (x *issuer) await(ctx context.Context, n uint64) bool {
	for x.rec.Completed() < n {
		if !x.clock.Step() {
			return x.rec.Await(ctx, n)
		}
	}
	return true
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// interrupted says why ctx ended. When the user ended the test, it first waits a grace for what is outstanding; when
// the SUT failed, there is nothing to wait for.
func (x *issuer) interrupted(ctx context.Context) error {
	err := endOf(ctx)
	if byUser(err) && x.rec.Completed() < x.rec.Issued() {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainGrace)
		defer cancel()
		if !x.flushed {
			_ = x.flush(grace) // the test has failed already
		}
		x.rec.Await(grace, x.rec.Issued())
	}
	if left := x.rec.Issued() - x.rec.Completed(); left > 0 {
		return fmt.Errorf("%w; %d of %d issued samples were not answered", err, left, x.rec.Issued())
	}
	return err
}
