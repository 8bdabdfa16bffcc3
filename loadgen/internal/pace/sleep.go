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
	// firstMargin is how much earlier than due a sleep ends before its lateness was measured; on the virtual machines
	// tried, nanosleep is 20 to 60 µs late at 1 ns timer slack.
	firstMargin = 20 * time.Microsecond
	// largestMargin bounds what is spun away when a sleep ends earlier than usual.
	largestMargin = 60 * time.Microsecond
	// spinMargin is the part of each wait that is spun where the user asked for spinning.
	spinMargin = 250 * time.Microsecond
)

// Sleeper sleeps until due times on an operating-system thread of its own. It belongs to the goroutine that made it.
//
// A sleep ends a margin before the due time and the rest is spun. The margin follows the measured lateness of the
// machine's sleeps, so that the spinning takes a few microseconds: waking up is what would else make each query late.
type Sleeper struct {
	clock   *Clock
	ctx     context.Context
	timer   *time.Timer
	margin  time.Duration
	spin    bool
	release func()
}

// NewSleeper locks the calling goroutine to its thread and sharpens the thread's timers, until Close. Sleeps end
// early when ctx does.
func NewSleeper(ctx context.Context, c *Clock, spin bool) *Sleeper {
	s := &Sleeper{clock: c, ctx: ctx, margin: firstMargin, spin: spin, release: func() {}}
	if spin {
		s.margin = spinMargin
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
	for now < due && s.ctx.Err() == nil {
		now = s.nap(now, time.Duration(due-now))
	}
	return now
}

// nap waits for a part of gap, which begins now, and returns the time.
func (s *Sleeper) nap(now int64, gap time.Duration) int64 {
	switch {
	case gap > longest:
		s.timer.Reset(gap - timerSlop)
		select {
		case <-s.timer.C:
		case <-s.ctx.Done():
		}
		return s.clock.Now()
	case gap > s.margin:
		sleep(gap - s.margin)
		woken := s.clock.Now()
		s.learn(time.Duration(woken-now) - (gap - s.margin))
		return woken
	}
	return s.spinFor(now, gap)
}

// learn moves the margin towards late, how much longer than asked a sleep took. A sleep that was disturbed by other
// work says little about the next one.
func (s *Sleeper) learn(late time.Duration) {
	if !s.spin {
		s.margin += (min(late, largestMargin) - s.margin) / 8
	}
}

func (s *Sleeper) spinFor(now int64, gap time.Duration) int64 {
	for due := now + int64(gap); now < due; {
		now = s.clock.Now()
	}
	return now
}
