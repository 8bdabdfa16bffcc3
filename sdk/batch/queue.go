package batch

import (
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// queue holds the samples that wait for a worker, in a ring of fixed size: a producer that is ahead waits, and with it
// the stream it reads from, so that an Offline query of any size takes no memory here.
type queue struct {
	mu   sync.Mutex
	work sync.Cond // workers wait here
	room sync.Cond // producers wait here

	ring    []loadgen.QuerySample
	arrived []int64 // when each of the ring came, in ns
	head, n int
	limit   int  // the largest batch for what is queued now
	waiting int  // workers in work.Wait
	shares  int  // how many share what is queued; 0: whoever comes takes it
	full    bool // hold back what does not fill a batch while the query goes on
	more    bool // the query goes on
	closed  bool
	window  *window // of samples that have a size; else it is nil
}

func newQueue(capacity int, p Policy) *queue {
	q := &queue{
		ring: make([]loadgen.QuerySample, capacity), arrived: make([]int64, capacity), limit: p.MaxBatch, full: p.Full,
	}
	if p.Share {
		q.shares = p.Sessions
	}
	if p.Sizing != nil {
		q.window = newWindow(*p.Sizing, p.MaxBatch, p.Full)
	}
	q.work.L, q.room.L = &q.mu, &q.mu
	return q
}

// push appends samples that came at a time, in batches of at most limit, and waits while the ring is full. more says
// that the query goes on.
func (q *queue) push(samples []loadgen.QuerySample, at int64, limit int, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = limit
	for len(samples) > 0 && !q.closed {
		for q.n == len(q.ring) && !q.closed {
			q.room.Wait()
		}
		k := q.put(samples, at)
		samples = samples[k:]
		q.more = more || len(samples) > 0
		q.wake(k)
	}
}

// put copies as many samples as fit.
func (q *queue) put(samples []loadgen.QuerySample, at int64) int {
	k := min(len(samples), len(q.ring)-q.n)
	tail := (q.head + q.n) % len(q.ring)
	first := copy(q.ring[tail:], samples[:k])
	copy(q.ring, samples[first:k])
	for i := range first {
		q.arrived[tail+i] = at
	}
	for i := range k - first {
		q.arrived[i] = at
	}
	q.n += k
	return k
}

// wake wakes as many workers as k new samples can occupy.
func (q *queue) wake(k int) {
	if !q.more && q.full {
		q.work.Broadcast() // what was held back is due too
		return
	}
	for range min(q.waiting, (k+q.limit-1)/q.limit) {
		q.work.Signal()
	}
}

// take waits for samples, copies at most len(dst) of them to dst, and when they came to at, and returns how many; 0
// means closed.
func (q *queue) take(dst []loadgen.QuerySample, at []int64) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.ready(len(dst)) {
		q.waiting++
		q.work.Wait()
		q.waiting--
	}
	if q.closed {
		return 0
	}
	dst = dst[:min(len(dst), q.limit)]
	switch {
	case q.window != nil:
		return q.takeSized(dst, at)
	case q.shares > 0:
		return q.takeShare(dst, at)
	}
	return q.unload(dst, at)
}

// takeShare takes a share of what is queued. Whoever takes one wakes the next, since less was taken than was thought of
// when workers were woken.
func (q *queue) takeShare(dst []loadgen.QuerySample, at []int64) int {
	share := (q.n + q.shares - 1) / q.shares
	k := q.unload(dst[:min(len(dst), share)], at)
	if q.n > 0 && q.waiting > 0 {
		q.work.Signal()
	}
	return k
}

// unload moves the oldest samples of the ring to dst, with their times, and returns how many.
func (q *queue) unload(dst []loadgen.QuerySample, at []int64) int {
	k := min(len(dst), q.n)
	first := copy(dst[:k], q.ring[q.head:])
	copy(dst[first:k], q.ring)
	copy(at[:first], q.arrived[q.head:])
	copy(at[first:k], q.arrived)
	q.head = (q.head + k) % len(q.ring)
	q.n -= k
	if q.n <= len(q.ring)/2 {
		q.room.Signal()
	}
	return k
}

// takeSized takes a batch by the sizes of its samples. How many batches there are shows only as they are cut: each
// taker wakes the next.
func (q *queue) takeSized(dst []loadgen.QuerySample, at []int64) int {
	fresh := q.window.samples[:q.window.room(len(dst))]
	n := q.unload(fresh, q.window.arrived)
	q.window.add(fresh[:n], q.window.arrived[:n])
	k := q.window.pick(dst, at)
	if q.waiting > 0 && q.ready(len(dst)) {
		q.work.Signal()
	}
	return k
}

func (q *queue) ready(batch int) bool {
	n := q.n
	if q.window != nil {
		n += len(q.window.items)
	}
	if q.closed || n >= min(batch, q.limit) {
		return true
	}
	return n > 0 && (!q.full || !q.more)
}

// flush releases what is held back.
func (q *queue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.more = false
	q.work.Broadcast()
}

// close drops what is queued and ends every wait.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.work.Broadcast()
	q.room.Broadcast()
}
