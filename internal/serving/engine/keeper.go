package engine

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// timekeeper wakes goroutines at exact times. A single goroutine sleeps for all of them.
type timekeeper struct {
	clock *pace.Clock
	mu    sync.Mutex
	queue waiters
	wake  chan struct{}
}

// waiter is a goroutine that waits until a due time.
type waiter struct {
	due  int64
	wake chan struct{}
}

const (
	// timerLead is the time before a due time at which the timekeeper changes from a runtime timer to exact sleeping.
	// Timers can be late by a millisecond or two.
	timerLead = 2 * time.Millisecond
	// maxExactSleep is the maximum length of an exact sleep, which new waiters cannot interrupt. It is the maximum delay
	// of a waiter that arrives during the sleep with an earlier due time.
	maxExactSleep = 500 * time.Microsecond
)

// waitUntil waits until due. It returns false if ctx ended before.
func (k *timekeeper) waitUntil(ctx context.Context, due int64, up chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	if k.clock.Now() >= due {
		return true
	}
	k.mu.Lock()
	heap.Push(&k.queue, waiter{due, up})
	first := k.queue[0].wake == up
	k.mu.Unlock()
	if first {
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
	select {
	case <-up:
		return true
	case <-ctx.Done():
		return false
	}
}

// wakeDue wakes the waiters that are due, and returns the next due time. ok is false if there are no more waiters.
func (k *timekeeper) wakeDue() (next int64, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.queue) > 0 {
		if next = k.queue[0].due; next > k.clock.Now() {
			return next, true
		}
		heap.Pop(&k.queue).(waiter).wake <- struct{}{}
	}
	return 0, false
}

// wakeAll wakes waiters until ctx ends.
func (k *timekeeper) wakeAll(ctx context.Context) {
	sleeper := pace.NewSleeper(ctx, k.clock, false)
	defer sleeper.Close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for ctx.Err() == nil {
		next, ok := k.wakeDue()
		left := time.Duration(next - k.clock.Now())
		switch {
		case !ok:
			timer.Reset(time.Hour)
		case left > timerLead:
			timer.Reset(left - timerLead)
		default:
			sleeper.Until(min(next, k.clock.Now()+int64(maxExactSleep)))
			continue
		}
		select {
		case <-k.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// waiters is a heap ordered by due time.
type waiters []waiter

func (w waiters) Len() int           { return len(w) }
func (w waiters) Less(i, j int) bool { return w[i].due < w[j].due }
func (w waiters) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *waiters) Push(x any)        { *w = append(*w, x.(waiter)) }

func (w *waiters) Pop() any {
	last := len(*w) - 1
	one := (*w)[last]
	*w = (*w)[:last]
	return one
}
