// Package pace is the clock of a test. It returns the time since the start of a series and sleeps until a query is due.
//
// In scope: monotonic time, short sleeps, virtual time for tests. Out of scope: actions at those times.
package pace

import (
	"context"
	"time"
)

// Virtual is a clock that tests drive instead of the machine's. Its methods are called from one goroutine at a time,
// but for Now, which any may call.
type Virtual interface {
	// Now is the virtual time since an arbitrary origin.
	Now() time.Duration
	// SleepUntil advances to at, running the events due before on the way; an at in the past does nothing.
	SleepUntil(at time.Duration)
	// Step runs the next event, advancing to its time; false says that none is planned.
	Step() bool
}

type virtualKey struct{}

// WithVirtual returns a context under which tests run on v's time.
func WithVirtual(ctx context.Context, v Virtual) context.Context {
	return context.WithValue(ctx, virtualKey{}, v)
}

// Clock measures nanoseconds since its start. Now may be called from any goroutine.
type Clock struct {
	base    time.Time
	virtual Virtual
	origin  time.Duration // of the virtual clock
}

// Start returns a clock that starts now, on the virtual time of ctx if there is one.
func Start(ctx context.Context) *Clock {
	c := &Clock{}
	if v, ok := ctx.Value(virtualKey{}).(Virtual); ok {
		c.virtual, c.origin = v, v.Now()
	}
	c.base = time.Now()
	return c
}

// Wall is the wall-clock time of the start.
func (c *Clock) Wall() time.Time { return c.base }

// Now is the time since the start in ns; it never goes back.
func (c *Clock) Now() int64 {
	if c.virtual != nil {
		return int64(c.virtual.Now() - c.origin)
	}
	return int64(time.Since(c.base))
}

// Virtual says whether the clock is a virtual one: then all happens on one goroutine.
func (c *Clock) Virtual() bool { return c.virtual != nil }

// Step runs the next event of a virtual clock; false says that there is none, as always on the machine's clock.
func (c *Clock) Step() bool { return c.virtual != nil && c.virtual.Step() }
