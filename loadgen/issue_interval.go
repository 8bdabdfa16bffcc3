package loadgen

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// atIntervals issues a query at each multiple of the arrival interval at which the query before is complete. An
// interval that begins while it is under way is skipped, and delays the queries that follow.
func (x *queryIssuer) atIntervals(ctx context.Context) error {
	sleeper := pace.NewSleeper(ctx, x.clock, x.spin)
	defer sleeper.Close()
	var due, at int64
	last := -int64(x.limits.ArrivalInterval)
	for q := range x.plan.Queries {
		if q > 0 {
			last = due
			if due, at = x.nextInterval(ctx, sleeper, q, due); isClosed(ctx.Done()) {
				return x.interruptedError(ctx)
			}
			x.fillQuery(q)
		}
		x.scheduled[q] = due
		if err := x.issueQuery(ctx, q, at); err != nil {
			return err
		}
		x.skips.addSkipped(skippedBetween(last, due, x.limits.ArrivalInterval))
		if x.isEnded(uint64(q+1), at) {
			return nil
		}
	}
	x.ranOut()
	return nil
}

// nextInterval waits for query q to be due: at the first interval after that of the query before, at a time, that
// begins with the query before complete. It returns the beginning of the interval and the time then, and returns early
// when ctx ends.
func (x *queryIssuer) nextInterval(ctx context.Context, sleeper *pace.Sleeper, q int, last int64) (due, now int64) {
	due = last
	for {
		due += int64(x.limits.ArrivalInterval)
		now = sleeper.Until(due)
		if x.completeBy(q-1, due) || isClosed(ctx.Done()) {
			return due, now
		}
	}
}

// completeBy says whether all samples of query q were answered by a time.
func (x *queryIssuer) completeBy(q int, at int64) bool {
	first := uint64(q * len(x.query))
	for i := range uint64(len(x.query)) {
		if done := x.rec.Done(first + i); done == 0 || done > at {
			return false
		}
	}
	return true
}
