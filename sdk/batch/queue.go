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
	q := &queue{ring: make([]loadgen.QuerySample, capacity), limit: p.MaxBatch, full: p.Full}
	if p.Share {
		q.shares = p.Sessions
	}
	if p.Sizing != nil {
		q.window = newWindow(*p.Sizing, p.MaxBatch, p.Full)
	}
	q.work.L, q.room.L = &q.mu, &q.mu
	return q
}

// push appends samples, in batches of at most limit, and waits while the ring is full. more says that the query goes
// on.
func (q *queue) push(samples []loadgen.QuerySample, limit int, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = limit
	for len(samples) > 0 && !q.closed {
		for q.n == len(q.ring) && !q.closed {
			q.room.Wait()
		}
		k := q.put(samples)
		samples = samples[k:]
		q.more = more || len(samples) > 0
		q.wake(k)
	}
}

// put copies as many samples as fit.
func (q *queue) put(samples []loadgen.QuerySample) int {
	k := min(len(samples), len(q.ring)-q.n)
	tail := (q.head + q.n) % len(q.ring)
	first := copy(q.ring[tail:], samples[:k])
	copy(q.ring, samples[first:k])
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

// take waits for samples, copies at most len(dst) of them to dst and returns how many; 0 means closed.
func (q *queue) take(dst []loadgen.QuerySample) int {
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
		return q.takeSized(dst)
	case q.shares > 0:
		return q.takeShare(dst)
	}
	return q.unload(dst)
}

// takeShare takes a share of what is queued. Whoever takes one wakes the next, since less was taken than was thought of
// when workers were woken.
func (q *queue) takeShare(dst []loadgen.QuerySample) int {
	share := (q.n + q.shares - 1) / q.shares
	k := q.unload(dst[:min(len(dst), share)])
	if q.n > 0 && q.waiting > 0 {
		q.work.Signal()
	}
	return k
}

// unload moves the oldest samples of the ring to dst and returns how many.
func (q *queue) unload(dst []loadgen.QuerySample) int {
	k := min(len(dst), q.n)
	first := copy(dst[:k], q.ring[q.head:])
	copy(dst[first:k], q.ring)
	q.head = (q.head + k) % len(q.ring)
	q.n -= k
	if q.n <= len(q.ring)/2 {
		q.room.Signal()
	}
	return k
}

// takeSized takes a batch by the sizes of its samples. How many batches there are shows only as they are cut: each
// taker wakes the next.
func (q *queue) takeSized(dst []loadgen.QuerySample) int {
	fresh := q.window.samples[:q.window.room(len(dst))]
	q.window.add(fresh[:q.unload(fresh)])
	k := q.window.pick(dst)
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
