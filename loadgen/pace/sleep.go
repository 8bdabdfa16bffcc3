package pace

import (
	"context"
	"runtime"
	"time"
)

const (
	// longest is the longest sleep in one system call, which nothing can interrupt: a test ends within it.
	longest = 3 * time.Millisecond
	// timerSlop is how late the runtime's timers may be; the rest of a long wait is slept in system calls.
	timerSlop = 2 * time.Millisecond
	// firstMargin is how much earlier than due a sleep ends before the lateness of sleeps was measured. On the virtual
	// machines tried, nanosleep at 1 ns timer slack is late by 22 to 40 µs (10th and 90th percentile).
	firstMargin   = 20 * time.Microsecond
	largestMargin = 60 * time.Microsecond
	// earlyShare is the share of the sleeps that may end before the due time, and marginStep how fast the margin
	// follows the machine towards it.
	earlyShare = 0.2
	marginStep = time.Microsecond
	// minNap is the shortest sleep. On those machines any sleep takes 25 µs of processor time: shorter ones would keep
	// a processor busy at 100,000 queries per second, and make the queries that are due in the meantime hardly earlier.
	minNap = 30 * time.Microsecond
	// spinShort is the longest wait that is spun where a sleep would end long after the due time, spinRest where a sleep
	// ended before it.
	spinShort = 5 * time.Microsecond
	spinRest  = 15 * time.Microsecond
	// spinLong replaces both where the user asked for spinning.
	spinLong = 250 * time.Microsecond
	// yieldSoon and yieldNow are how long the goroutine runs without passing through the scheduler: until there is a
	// wait of yieldGap, and at most. From 10 ms on, Go's monitor (Go 1.26) takes the processor of a goroutine at every
	// system call, with two more threads to wake for each sleep.
	yieldSoon = 4 * time.Millisecond
	yieldNow  = 8 * time.Millisecond
	yieldGap  = 200 * time.Microsecond
)

// Sleeper sleeps until due times on an operating-system thread of its own. It belongs to the goroutine that made it.
//
// A sleep is asked to end a margin before the due time, because waking up takes tens of microseconds; the margin
// follows the machine so that one sleep in five ends too early, and the few microseconds left are spun.
type Sleeper struct {
	clock   *Clock
	ctx     context.Context
	timer   *time.Timer
	margin  time.Duration
	spin    time.Duration // the longest wait that is spun, and
	rest    time.Duration // the longest after a sleep
	yielded int64         // when the goroutine last passed through the scheduler
	release func()
}

// NewSleeper locks the calling goroutine to its thread and sharpens the thread's timers, until Close. Sleeps end
// early when ctx does.
func NewSleeper(ctx context.Context, c *Clock, spin bool) *Sleeper {
	s := &Sleeper{clock: c, ctx: ctx, margin: firstMargin, spin: spinShort, rest: spinRest, release: func() {}}
	if spin {
		s.margin, s.spin, s.rest = spinLong, spinLong, spinLong
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

// Close gives the thread back.
func (s *Sleeper) Close() { s.release() }

// Until returns the time, in ns since the clock's start, at the first moment not before due, or when the context ends.
// A due time in the past costs one reading of the clock.
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
			now, spin = s.sleepPart(now, gap), s.rest
		} else {
			now = s.spinUntil(due)
		}
	}
	return now
}

// sleepPart sleeps for a part of gap, which begins now, and returns the time.
func (s *Sleeper) sleepPart(now int64, gap time.Duration) int64 {
	if gap > longest {
		s.timer.Reset(gap - timerSlop)
		select {
		case <-s.timer.C:
		case <-s.ctx.Done():
		}
		s.yielded = s.clock.Now()
		return s.yielded
	}
	if since := time.Duration(now - s.yielded); since > yieldNow || since > yieldSoon && gap > yieldGap {
		runtime.Gosched()
		s.yielded = s.clock.Now()
		return s.yielded
	}
	asked := max(gap-s.margin, minNap)
	suspendThread(asked)
	woken := s.clock.Now()
	s.learnMargin(time.Duration(woken-now) - asked)
	return woken
}

// learnMargin moves the margin towards the quantile earlyShare of the lateness of sleeps, given one more.
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
