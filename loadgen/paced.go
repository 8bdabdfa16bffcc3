package loadgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// issueLane is one of Server's issuing goroutines (server_num_issue_query_threads). Of n lanes, lane k issues the
// queries k, k+n, k+2n, ...
type issueLane struct {
	issuer                 *queryIssuer
	number, step           int
	maxQueries, maxPending uint64 // 0: no limit
	query                  []QuerySample

	next   int    // the next query
	issued uint64 // number of issued queries
}

// newLanes divides the limits among n lanes. The first lanes get the remainder.
func (x *queryIssuer) newLanes(n int) []*issueLane {
	share := func(total uint64, k int) uint64 {
		s := total / uint64(n)
		if uint64(k) < total%uint64(n) {
			s++
		}
		return s
	}
	lanes := make([]*issueLane, n)
	for k := range lanes {
		l := &issueLane{
			issuer: x, number: k, step: n, next: k,
			maxQueries: share(x.limits.MaxQueryCount, k), maxPending: share(x.limits.MaxAsyncQueries, k),
		}
		atOnce := 1
		if x.coalesce {
			atOnce = (len(x.scheduled) + n - 1 - k) / n
		}
		l.query = make([]QuerySample, max(atOnce, 1))
		lanes[k] = l
	}
	return lanes
}

// issuePaced issues each query when it is due.
func (x *queryIssuer) issuePaced(ctx context.Context) error {
	err := x.runLanes(ctx)
	if ctx.Err() != nil && (err == nil || errors.Is(err, errStopped)) {
		return x.interruptedError(ctx)
	}
	return err
}

// errStopped means that issuing stopped because its context ended.
var errStopped = errors.New("stopped")

// runLanes runs each lane on its own goroutine. The first lane that fails stops the others.
func (x *queryIssuer) runLanes(ctx context.Context) error {
	if len(x.lanes) == 1 {
		return x.lanes[0].runLane(ctx)
	}
	if x.clock.Virtual() {
		return x.runTurns(ctx)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(x.lanes))
	var wg sync.WaitGroup
	for k, l := range x.lanes {
		wg.Go(func() {
			if errs[k] = l.runLane(ctx); errs[k] != nil {
				stop()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, errStopped) {
			return err
		}
	}
	return errors.Join(errs...)
}

// runTurns runs all lanes on one goroutine, because virtual time allows only one.
func (x *queryIssuer) runTurns(ctx context.Context) error {
	sleeper := pace.NewSleeper(ctx, x.clock, x.spin)
	defer sleeper.Close()
	for lanes := slices.Clone(x.lanes); len(lanes) > 0; {
		first := slices.MinFunc(lanes, func(a, b *issueLane) int { return a.next - b.next })
		more, err := first.issueNext(ctx, sleeper)
		if err != nil {
			return err
		}
		if !more {
			lanes = slices.DeleteFunc(lanes, func(l *issueLane) bool { return l == first })
		}
	}
	return nil
}

// runLane issues the lane's queries.
func (l *issueLane) runLane(ctx context.Context) error {
	sleeper := pace.NewSleeper(ctx, l.issuer.clock, l.issuer.spin)
	defer sleeper.Close()
	for {
		if more, err := l.issueNext(ctx, sleeper); !more || err != nil {
			return err
		}
	}
}

// issueNext waits until the lane's next query is due and issues it, or with coalescing all due queries. It returns
// false if there is no further query or a limit is reached.
func (l *issueLane) issueNext(ctx context.Context, sleeper *pace.Sleeper) (more bool, err error) {
	x := l.issuer
	if l.next >= len(x.scheduled) {
		return false, nil
	}
	now := sleeper.Until(x.scheduled[l.next])
	if x.outlook != nil && x.clock.Virtual() {
		x.outlook.countLate(now)
	}
	if ctx.Err() != nil {
		return false, errStopped
	}
	if err := l.issue(ctx, l.dueCount(now), now); err != nil {
		return false, err
	}
	return x.accuracy || !l.tooManyOutstanding() && !x.isOverLimit(l.number, l.maxQueries, l.issued, now), nil
}

// dueCount returns how many of the lane's queries are issued together: one, or with coalescing all that are due.
func (l *issueLane) dueCount(now int64) int {
	n := 1
	if l.issuer.coalesce {
		for q := l.next + l.step; q < len(l.issuer.scheduled) && l.issuer.scheduled[q] <= now; q += l.step {
			n++
		}
	}
	return n
}

// issue passes the lane's next n queries to the SUT.
func (l *issueLane) issue(ctx context.Context, n int, at int64) error {
	x := l.issuer
	query, first := l.query[:n], l.next
	for i := range query {
		q := l.next
		x.delays.Set(q, at-x.scheduled[q])
		query[i] = QuerySample{ID: ResponseID(x.first + uint32(q)), Index: SampleIndex(x.plan.Samples[q])}
		l.next += l.step
	}
	l.issued += uint64(n)
	x.rec.Issue(l.number, l.issued)
	err := x.sut.IssueQuery(ctx, Query{Samples: query}, x.responder)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // not a fault of the SUT
		return errStopped
	}
	return fmt.Errorf("SUT %s: issuing query %d: %w", x.sut.Name(), first, err)
}

func (l *issueLane) tooManyOutstanding() bool {
	if l.maxPending == 0 {
		return false
	}
	outstanding := l.issuer.rec.Outstanding(l.number)
	if outstanding <= l.maxPending {
		return false
	}
	l.issuer.logEarlyEnd(l.number, fmt.Sprintf("Too many outstanding queries. issued %d outstanding %d",
		l.issued, outstanding))
	return true
}
