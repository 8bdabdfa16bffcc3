package loadgentest

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/pace"
)

// Clock is a virtual clock. StartTest under WithClock never waits and issues each query exactly at its due time.
// Virtual time advances when LoadGen waits for the next due time or for answers, and by Advance. All methods may be
// called from any goroutine.
type Clock struct {
	mu       sync.Mutex
	now      time.Duration
	events   eventHeap
	sequence int // orders events of one time
}

// WithClock returns a context under which StartTest runs on c's time. SUTs answer inside IssueQuery, or later through
// After. Answers from other goroutines arrive at an arbitrary virtual time.
func WithClock(ctx context.Context, c *Clock) context.Context {
	return pace.WithVirtual(ctx, c)
}

// Now returns the virtual time since the clock was made.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance advances the clock by d, as if the caller had worked that long. Events that are due in this period run late,
// after it.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += d
}

// After plans to run f in d from now, on the goroutine that waits at that time.
func (c *Clock) After(d time.Duration, f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sequence++
	heap.Push(&c.events, event{at: c.now + d, seq: c.sequence, run: f})
}

// SleepUntil advances to at and runs the events planned up to and including at.
func (c *Clock) SleepUntil(at time.Duration) {
	for c.stepUntil(at) {
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = max(c.now, at)
}

// Step advances to the time of the next planned event and runs it. It returns false if no event is planned.
func (c *Clock) Step() bool { return c.stepUntil(1<<63 - 1) }

func (c *Clock) stepUntil(at time.Duration) bool {
	c.mu.Lock()
	if len(c.events) == 0 || c.events[0].at > at {
		c.mu.Unlock()
		return false
	}
	e := heap.Pop(&c.events).(event)
	c.now = max(c.now, e.at)
	c.mu.Unlock()
	e.run()
	return true
}

type event struct {
	at  time.Duration
	seq int
	run func()
}

// eventHeap is a heap of events with the earliest first.
type eventHeap []event

func (h eventHeap) Len() int { return len(h) }

func (h eventHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].seq < h[j].seq
}

func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *eventHeap) Push(x any) { *h = append(*h, x.(event)) }

func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}
