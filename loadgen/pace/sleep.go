package pace

import (
	"context"
	"runtime"
	"time"
)

const (
	// maxSleep is the longest sleep in one system call. Nothing can interrupt such a sleep, so it bounds the delay of a
	// test's end.
	maxSleep = 3 * time.Millisecond
	// timerSlop is the maximum delay of the runtime's timers. System calls sleep the rest of a long wait.
	timerSlop = 2 * time.Millisecond
	// firstMargin is the time by which a sleep ends before the due time until the lateness of sleeps has been measured. On
	// the tested virtual machines, nanosleep with 1 ns timer slack is 22 to 40 µs late (10th and 90th percentile).
	firstMargin   = 20 * time.Microsecond
	largestMargin = 60 * time.Microsecond
	// earlyShare is the share of sleeps that may end before the due time. marginStep determines how fast the margin
	// approaches it.
	earlyShare = 0.2
	marginStep = time.Microsecond
	// minNap is the shortest sleep. On those machines each sleep takes 25 µs of processor time. Shorter sleeps would keep
	// a processor busy at 100,000 queries per second without making the next queries noticeably more punctual.
	minNap = 30 * time.Microsecond
	// spinShort is the longest busy wait if a sleep would end long after the due time. spinRest is the longest busy wait
	// after a sleep that ended early.
	spinShort = 5 * time.Microsecond
	spinRest  = 15 * time.Microsecond
	// spinLong replaces both if the user asked for spinning.
	spinLong = 250 * time.Microsecond
	// yieldSoon and yieldNow are the times after which the goroutine yields to the scheduler: at the next wait of at least
	// yieldGap, and at any wait. After 10 ms, Go's monitor (Go 1.26) takes the goroutine's processor at every system call,
	// and each sleep has to wake two more threads.
	yieldSoon = 4 * time.Millisecond
	yieldNow  = 8 * time.Millisecond
	yieldGap  = 200 * time.Microsecond
)

// Sleeper sleeps until due times on an operating-system thread of its own. It belongs to the goroutine that made it.
//
// A sleep ends a margin before the due time, because waking up takes tens of microseconds. The margin adapts to the
// machine: one sleep in five ends too early, and the Sleeper spins for the few microseconds left.
type Sleeper struct {
	clock          *Clock
	ctx            context.Context
	timer          *time.Timer
	margin         time.Duration
	spin           time.Duration // the longest busy wait without a sleep
	spinAfterSleep time.Duration // the longest busy wait after a sleep
	lastYield      int64         // time at which the goroutine last yielded to the scheduler, in ns
	release        func()
}

// NewSleeper locks the calling goroutine to its thread and reduces the slack of the thread's timers until Close. Sleeps
// end early if ctx ends.
func NewSleeper(ctx context.Context, c *Clock, spin bool) *Sleeper {
	s := &Sleeper{clock: c, ctx: ctx, margin: firstMargin, spin: spinShort, spinAfterSleep: spinRest, release: func() {}}
	if spin {
		s.margin, s.spin, s.spinAfterSleep = spinLong, spinLong, spinLong
	}
	if c.virtual == nil {
		runtime.LockOSThread()
		restore := sharpenTimers()
		s.release = func() { restore(); runtime.UnlockOSThread() }
		s.timer = time.NewTimer(time.Hour)
		s.timer.Stop()
	}
	return s
}

// Close unlocks the thread and restores its timers.
func (s *Sleeper) Close() { s.release() }

// Until waits until due and returns the time of its end, in ns since the clock's start. It returns earlier if the
// context ends. If due is in the past, it only reads the clock.
func (s *Sleeper) Until(due int64) int64 {
	now := s.clock.Now()
	if now >= due {
		return now
	}
	if v := s.clock.virtual; v != nil {
		v.SleepUntil(time.Duration(due) + s.clock.origin)
		return s.clock.Now()
	}
	spin := s.spin
	for now < due && s.ctx.Err() == nil {
		if gap := time.Duration(due - now); gap > spin {
			now, spin = s.sleepPart(now, gap), s.spinAfterSleep
		} else {
			now = s.spinUntil(due)
		}
	}
	return now
}

// sleepPart sleeps for a part of gap, which begins now, and returns the time at its end.
func (s *Sleeper) sleepPart(now int64, gap time.Duration) int64 {
	if gap > maxSleep {
		s.timer.Reset(gap - timerSlop)
		select {
		case <-s.timer.C:
		case <-s.ctx.Done():
		}
		s.lastYield = s.clock.Now()
		return s.lastYield
	}
	if since := time.Duration(now - s.lastYield); since > yieldNow || since > yieldSoon && gap > yieldGap {
		runtime.Gosched()
		s.lastYield = s.clock.Now()
		return s.lastYield
	}
	asked := max(gap-s.margin, minNap)
	suspendThread(asked)
	woken := s.clock.Now()
	s.learnMargin(time.Duration(woken-now) - asked)
	return woken
}

// learnMargin adjusts the margin by the lateness of one sleep, towards the quantile earlyShare.
func (s *Sleeper) learnMargin(late time.Duration) {
	if s.spin == spinLong {
		return
	}
	step := time.Duration(earlyShare * float64(marginStep))
	if late < s.margin {
		step -= marginStep
	}
	s.margin = min(max(s.margin+step, 0), largestMargin)
}

func (s *Sleeper) spinUntil(due int64) int64 {
	now := s.clock.Now()
	for now < due {
		now = s.clock.Now()
	}
	return now
}
