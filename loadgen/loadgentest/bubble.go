package loadgentest

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// WithSleep returns a context under which due times are awaited by time.Sleep alone: what a test in a bubble of
// testing/synctest needs, whose time does not pass in system calls. Goroutines may answer there, other than with
// WithClock.
func WithSleep(ctx context.Context) context.Context {
	return pace.WithVirtual(ctx, sleeping{time.Now()})
}

// sleeping is the time of package time.
type sleeping struct{ origin time.Time }

func (s sleeping) Now() time.Duration          { return time.Since(s.origin) }
func (s sleeping) SleepUntil(at time.Duration) { time.Sleep(at - s.Now()) }
func (sleeping) Step() bool                    { return false }
