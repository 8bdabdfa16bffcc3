package loadgen

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// issueAtIntervals issues a query at each multiple of the arrival interval at which the previous query is complete. An
// interval that begins before is skipped and delays the following queries.
func (x *queryIssuer) issueAtIntervals(ctx context.Context) error {
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
	x.logRanOut()
	return nil
}

// nextInterval waits until query q is due: at the beginning of the first interval after last at which the previous
// query is complete. It returns that beginning and the current time. It returns early if ctx ends.
func (x *queryIssuer) nextInterval(ctx context.Context, sleeper *pace.Sleeper, q int, last int64) (due, now int64) {
	due = last
	for {
		due += int64(x.limits.ArrivalInterval)
		now = sleeper.Until(due)
		if x.isCompleteBy(q-1, due) || isClosed(ctx.Done()) {
			return due, now
		}
	}
}

// isCompleteBy reports whether all samples of query q were answered by a time.
func (x *queryIssuer) isCompleteBy(q int, at int64) bool {
	first := uint64(q * len(x.query))
	for i := range uint64(len(x.query)) {
		if done := x.rec.Done(first + i); done == 0 || done > at {
			return false
		}
	}
	return true
}
