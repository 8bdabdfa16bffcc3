package loadgentest

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// WithSleep returns a context under which LoadGen awaits due times only with time.Sleep. Tests in a bubble of
// testing/synctest need it, because time in a bubble does not advance during system calls. Unlike under WithClock,
// several goroutines may answer.
func WithSleep(ctx context.Context) context.Context {
	return pace.WithVirtual(ctx, sleepClock{time.Now()})
}

// sleepClock is a virtual clock that runs on the time of package time.
type sleepClock struct{ origin time.Time }

func (s sleepClock) Now() time.Duration          { return time.Since(s.origin) }
func (s sleepClock) SleepUntil(at time.Duration) { time.Sleep(at - s.Now()) }
func (sleepClock) Step() bool                    { return false }
