package batch

import (
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// sampleQueue contains the samples that wait for a worker, in a ring of fixed size. A fast producer blocks, and with it
// the stream that it reads from. An Offline query of any size therefore needs no memory here.
type sampleQueue struct {
	mu   sync.Mutex
	work sync.Cond // workers wait here
	room sync.Cond // producers wait here

	ring      []loadgen.QuerySample
	arrived   []int64 // arrival times of the samples in ring, in ns
	head, n   int
	limit     int  // size of the largest batch for the queued samples
	waiting   int  // number of workers in work.Wait
	shares    int  // number of workers that share the queued samples; 0: a worker may take all
	full      bool // hold back samples that do not fill a batch until the query ends
	continues bool // the query continues
	closed    bool
	window    *sizeWindow // window of samples with sizes; otherwise nil
}

func newQueue(capacity int, p BatchPolicy) *sampleQueue {
	q := &sampleQueue{
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

// push appends samples that arrived at a time, for batches of up to limit samples, and blocks while the ring is full.
// more means that the query continues.
func (q *sampleQueue) push(samples []loadgen.QuerySample, at int64, limit int, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = limit
	for len(samples) > 0 && !q.closed {
		for q.n == len(q.ring) && !q.closed {
			q.room.Wait()
		}
		k := q.copySamples(samples, at)
		samples = samples[k:]
		q.continues = more || len(samples) > 0
		q.wakeWorkers(k)
	}
}

// copySamples copies as many samples into the ring as fit.
func (q *sampleQueue) copySamples(samples []loadgen.QuerySample, at int64) int {
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

// wakeWorkers wakes as many workers as k new samples can occupy.
func (q *sampleQueue) wakeWorkers(k int) {
	if !q.continues && q.full {
		q.work.Broadcast() // held-back samples are also due
		return
	}
	for range min(q.waiting, (k+q.limit-1)/q.limit) {
		q.work.Signal()
	}
}

// takeBatch waits for samples. It copies up to len(dst) samples to dst and their arrival times to at, and returns their
// number. It returns 0 when the queue is closed.
func (q *sampleQueue) takeBatch(dst []loadgen.QuerySample, at []int64) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.hasBatch(len(dst)) {
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
	return q.takeOldest(dst, at)
}

// takeShare takes a share of the queued samples. It then wakes the next worker, because it takes fewer samples than
// assumed when workers were woken.
func (q *sampleQueue) takeShare(dst []loadgen.QuerySample, at []int64) int {
	share := (q.n + q.shares - 1) / q.shares
	k := q.takeOldest(dst[:min(len(dst), share)], at)
	if q.n > 0 && q.waiting > 0 {
		q.work.Signal()
	}
	return k
}

// takeOldest moves the oldest samples of the ring to dst, with their times, and returns their number.
func (q *sampleQueue) takeOldest(dst []loadgen.QuerySample, at []int64) int {
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

// takeSized takes a batch by the sizes of its samples. The number of batches is not known in advance, so each worker
// wakes the next.
func (q *sampleQueue) takeSized(dst []loadgen.QuerySample, at []int64) int {
	fresh := q.window.samples[:q.window.refillCount(len(dst))]
	n := q.takeOldest(fresh, q.window.arrived)
	q.window.addSamples(fresh[:n], q.window.arrived[:n])
	k := q.window.pickBatch(dst, at)
	if q.waiting > 0 && q.hasBatch(len(dst)) {
		q.work.Signal()
	}
	return k
}

func (q *sampleQueue) hasBatch(batch int) bool {
	n := q.n
	if q.window != nil {
		n += len(q.window.items)
	}
	if q.closed || n >= min(batch, q.limit) {
		return true
	}
	return n > 0 && (!q.full || !q.continues)
}

// flush releases held-back samples.
func (q *sampleQueue) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.continues = false
	q.work.Broadcast()
}

// close drops queued samples and ends all waits.
func (q *sampleQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.work.Broadcast()
	q.room.Broadcast()
}
