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
	return pace.WithVirtual(ctx, sleeping{time.Now()})
}

// sleepClock is a virtual clock that runs on the time of package time.
type sleeping struct{ origin time.Time }

func (s sleeping) Now() time.Duration          { return time.Since(s.origin) }
func (s sleeping) SleepUntil(at time.Duration) { time.Sleep(at - s.Now()) }
func (sleeping) Step() bool                    { return false }
