package engine

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// timekeeper wakes goroutines at exact times: one of them sleeps for all.
type timekeeper struct {
	clock *pace.Clock
	mu    sync.Mutex
	queue waiters
	wake  chan struct{}
}

// waiter waits until it is due.
type waiter struct {
	due int64
	up  chan struct{}
}

const (
	// coarse is how long before a time the runtime's timers are left, which may be late by a millisecond or two.
	coarse = 2 * time.Millisecond
	// napped is the longest sleep that nothing ends: what is due sooner than that, and asked for in the meantime, is
	// late by so much.
	napped = 500 * time.Microsecond
)

// waitUntil returns when it is due; false: ctx ended before.
func (k *timekeeper) waitUntil(ctx context.Context, due int64, up chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	if k.clock.Now() >= due {
		return true
	}
	k.mu.Lock()
	heap.Push(&k.queue, waiter{due, up})
	first := k.queue[0].up == up
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

// wakeDue wakes those that are due, and says when the next is; ok is false where there is none.
func (k *timekeeper) wakeDue() (next int64, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.queue) > 0 {
		if next = k.queue[0].due; next > k.clock.Now() {
			return next, true
		}
		heap.Pop(&k.queue).(waiter).up <- struct{}{}
	}
	return 0, false
}

// wakeAll wakes until ctx ends.
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
		case left > coarse:
			timer.Reset(left - coarse)
		default:
			sleeper.Until(min(next, k.clock.Now()+int64(napped)))
			continue
		}
		select {
		case <-k.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// waiters have the one that is due first at the top.
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
