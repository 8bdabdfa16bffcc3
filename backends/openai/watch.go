package openai

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// checksPerTimeout is the number of checks of an answer's progress within idle_timeout.
const checksPerTimeout = 4

// slownessWatch ends a call whose server is too slow. It checks the answer periodically, because setting a timer for
// each of its parts would be more expensive than the part.
type slownessWatch struct {
	first, idle time.Duration // maximum waiting times; 0: any
	progress    *atomic.Uint32
	cancel      context.CancelCauseFunc
	started     time.Time

	mu              sync.Mutex
	timer           *time.Timer // nil after stop
	last            uint32      // progress at the last check
	unchangedChecks int         // number of checks since the last progress
}

// startWatch watches an answer, which increments progress for each of its parts.
func startWatch(first, idle time.Duration, progress *atomic.Uint32, cancel context.CancelCauseFunc) *slownessWatch {
	progress.Store(0)
	w := &slownessWatch{first: first, idle: idle, progress: progress, cancel: cancel, started: time.Now()}
	if first > 0 || idle > 0 {
		w.mu.Lock()
		w.timer = time.AfterFunc(w.nextCheck(0), w.checkProgress)
		w.mu.Unlock()
	}
	return w
}

// nextCheck returns the time until the next check.
func (w *slownessWatch) nextCheck(progress uint32) time.Duration {
	if w.idle == 0 {
		return max(w.first-time.Since(w.started), time.Millisecond)
	}
	step := max(w.idle/checksPerTimeout, time.Millisecond)
	if progress == 0 && w.first > 0 {
		step = min(step, max(w.first-time.Since(w.started), time.Millisecond))
	}
	return step
}

func (w *slownessWatch) checkProgress() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil {
		return
	}
	now := w.progress.Load()
	if w.unchangedChecks++; now != w.last {
		w.last, w.unchangedChecks = now, 0
	}
	switch {
	case now == 0 && w.first > 0 && time.Since(w.started) >= w.first:
		w.cancel(errFirstTimeout)
	case now > 0 && w.idle > 0 && w.unchangedChecks >= checksPerTimeout:
		w.cancel(errIdleTimeout)
	case now == 0 || w.idle > 0:
		w.timer.Reset(w.nextCheck(now))
	}
}

func (w *slownessWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}
