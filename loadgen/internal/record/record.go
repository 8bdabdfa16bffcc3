// Package record stores the completion times of one series in a preallocated slot per sample. The goroutine on which
// the SUT answers writes the slot without locks or allocation.
//
// In scope: times and ids. Out of scope: clocks, percentiles, payloads.
package record

import (
	"context"
	"sync/atomic"
)

// Fault describes what is wrong with a response.
type Fault int

// The faults of responses.
const (
	None         Fault = iota
	NotIssued          // no sample with that id was issued
	Twice              // the sample is already answered
	Again              // its first token is already reported
	Late               // its first token was reported after the answer
	NoFirstToken       // it was answered before its first token
	FewTokens          // it was answered with fewer than two tokens
	ManyTokens         // it was answered with more tokens than 32 bits can count
)

// counterLine puts counters that different goroutines write on different cache lines.
type counterLine [64]byte

// issueLane counts the samples of one issuing goroutine. A sample belongs to the lane whose index is the sample's
// number modulo the number of lanes.
type issueLane struct {
	issued    atomic.Uint64
	_         counterLine
	completed atomic.Uint64 // used only if there are several lanes
	_         counterLine
}

// Recorder holds the answers of one series. Only issuing goroutines may call Issue, only one waiting goroutine may call
// Await, and only answering goroutines may call Complete and Finish. Any goroutine may read the counters.
type Recorder struct {
	first uint32
	done  []int64 // completion times; 0 means not completed
	token []int64 // times of first tokens; 0 means none yet; nil if they are not recorded
	count []uint32
	wake  chan struct{}

	lanes []issueLane // one for each issuing goroutine
	only  *issueLane  // the lane if there is only one; otherwise an empty lane

	_         counterLine
	completed atomic.Uint64
	_         counterLine
	awaited   atomic.Uint64 // number of completions that Await waits for; 0 if it does not wait
	_         counterLine
}

// New returns a recorder for the n samples with ids from first, issued by as many goroutines as there are lanes.
func New(first uint32, n int, kind Kind, lanes int) *Recorder {
	r := &Recorder{first: first, done: make([]int64, n), wake: make(chan struct{}, 1), lanes: make([]issueLane, lanes)}
	r.only = &r.lanes[0]
	if lanes > 1 {
		r.only = &issueLane{}
	}
	if kind != Latencies {
		r.count = make([]uint32, n)
	}
	if kind == FirstTokens {
		r.token = make([]int64, n)
	}
	return r
}

// Issue records that the first n samples of a lane are issued.
func (r *Recorder) Issue(lane int, n uint64) { r.lanes[lane].issued.Store(n) }

// Issued returns the number of issued samples.
func (r *Recorder) Issued() uint64 {
	n := r.lanes[0].issued.Load()
	for i := 1; i < len(r.lanes); i++ {
		n += r.lanes[i].issued.Load()
	}
	return n
}

// HasIssued reports whether sample i, counted from 0 in the series, is issued.
func (r *Recorder) HasIssued(i uint64) bool {
	if n := uint64(len(r.lanes)); n > 1 {
		return i/n < r.lanes[i%n].issued.Load()
	}
	return i < r.lanes[0].issued.Load()
}

// Reach returns the number of the last issued sample plus one, or 0 before the first.
func (r *Recorder) Reach() (reach uint64) {
	lanes := uint64(len(r.lanes))
	for k := range lanes {
		if n := r.lanes[k].issued.Load(); n > 0 {
			reach = max(reach, (n-1)*lanes+k+1)
		}
	}
	return reach
}

// IssuedFirst reports whether the n issued samples are the first n of the series.
func (r *Recorder) IssuedFirst(n uint64) bool {
	lanes := uint64(len(r.lanes))
	for k := range lanes {
		if r.lanes[k].issued.Load() != (n+lanes-1-k)/lanes {
			return false
		}
	}
	return true
}

// Outstanding returns the number of samples of a lane that are issued and not answered.
func (r *Recorder) Outstanding(lane int) uint64 {
	l := &r.lanes[lane]
	if len(r.lanes) > 1 {
		return l.issued.Load() - l.completed.Load()
	}
	return l.issued.Load() - r.completed.Load()
}

// Completed returns the number of answered samples that Finish has counted.
func (r *Recorder) Completed() uint64 { return r.completed.Load() }

// CompleteFast does the same as Complete if no special case applies, and is small enough to be inlined. If it returns
// false, it recorded nothing, and the caller must call Complete.
func (r *Recorder) CompleteFast(id uint32, at int64) bool {
	i := uint64(id - r.first)
	return i < r.only.issued.Load() && atomic.CompareAndSwapInt64(&r.done[i], 0, at)
}

// Complete records that the sample was answered at a time, which must be above 0.
func (r *Recorder) Complete(id uint32, at int64) Fault {
	i := uint64(id - r.first)
	if !r.HasIssued(i) {
		return r.notIssued(id)
	}
	if !atomic.CompareAndSwapInt64(&r.done[i], 0, at) {
		return Twice
	}
	if n := uint64(len(r.lanes)); n > 1 {
		r.lanes[i%n].completed.Add(1)
	}
	return None
}

// notIssued distinguishes an id that was never issued from an id of an earlier series. All samples of earlier series
// are answered.
func (r *Recorder) notIssued(id uint32) Fault {
	if id < r.first {
		return Twice
	}
	return NotIssued
}

// Finish counts n completed samples and wakes Await if it waits for them. The caller must have recorded the samples
// first.
func (r *Recorder) Finish(n uint64) {
	done := r.completed.Add(n)
	if want := r.awaited.Load(); want != 0 && done >= want {
		select {
		case r.wake <- struct{}{}:
		default: // Await has a pending wake-up
		}
	}
}

// Await returns true as soon as n samples are completed, or false if ctx ends before. n must be above 0.
func (r *Recorder) Await(ctx context.Context, n uint64) bool {
	if r.completed.Load() >= n {
		return true
	}
	r.awaited.Store(n)
	defer r.awaited.Store(0)
	// Finish counts first and then reads awaited. Await does the opposite, so at least one of them sees the other's write.
	for r.completed.Load() < n {
		select {
		case <-r.wake:
		case <-ctx.Done():
			return r.completed.Load() >= n
		}
	}
	return true
}

// Done returns the completion time of sample i, counted from 0 in the series, or 0 before its completion.
func (r *Recorder) Done(i uint64) int64 { return atomic.LoadInt64(&r.done[i]) }

// Times returns the completion times of the first n samples. All of them must be completed.
func (r *Recorder) Times(n uint64) []int64 { return r.done[:n:n] }
