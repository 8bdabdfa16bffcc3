// Package pace implements the clock of a test. It returns the time since the start of a series and sleeps until a query
// is due.
//
// In scope: monotonic time, short sleeps, virtual time for tests. Out of scope: actions at those times.
package pace

import (
	"context"
	"time"
)

// Virtual is a clock that tests control. Only Now may be called concurrently with the other methods.
type Virtual interface {
	// Now returns the virtual time since an arbitrary origin.
	Now() time.Duration
	// SleepUntil advances to at and runs the events that are due before. It does nothing if at is in the past.
	SleepUntil(at time.Duration)
	// Step advances to the time of the next event and runs it. It returns false if no event is planned.
	Step() bool
}

type virtualKey struct{}

// WithVirtual returns a context that makes tests run on v's time.
func WithVirtual(ctx context.Context, v Virtual) context.Context {
	return context.WithValue(ctx, virtualKey{}, v)
}

// Clock measures nanoseconds since its start. Now may be called from any goroutine.
type Clock struct {
	base    time.Time
	virtual Virtual
	origin  time.Duration // virtual time at the start
}

// Start returns a clock that starts now. If ctx has a virtual clock, the new clock uses it.
func Start(ctx context.Context) *Clock {
	c := &Clock{}
	if v, ok := ctx.Value(virtualKey{}).(Virtual); ok {
		c.virtual, c.origin = v, v.Now()
	}
	c.base = time.Now()
	return c
}

// Wall returns the wall-clock time of the start.
func (c *Clock) Wall() time.Time { return c.base }

// Now returns the time since the start in ns. It never decreases.
func (c *Clock) Now() int64 {
	if c.virtual != nil {
		return int64(c.virtual.Now() - c.origin)
	}
	return int64(time.Since(c.base))
}

// Virtual reports whether the clock is virtual. On a virtual clock, the whole test runs on one goroutine.
func (c *Clock) Virtual() bool { return c.virtual != nil }

// Step runs the next event of a virtual clock. It returns false if there is no event or the clock is the machine's.
func (c *Clock) Step() bool { return c.virtual != nil && c.virtual.Step() }
