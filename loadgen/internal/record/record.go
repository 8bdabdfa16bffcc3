// Package record stores the completion times of one series in a preallocated slot per sample. The goroutine on which
// the SUT answers writes the slot without locks or allocation.
//
// In scope: times and ids. Out of scope: clocks, percentiles, payloads.
package record

import (
	"context"
	"sync/atomic"
)

// Fault says what is wrong with an answer.
type Fault int

// What can be wrong with a response.
const (
	None         Fault = iota
	NotIssued          // no sample of that id was issued
	Twice              // the sample was answered before
	Again              // its first token was reported before
	Late               // its first token was reported after the answer
	NoFirstToken       // it was answered before its first token
	FewTokens          // it was answered with fewer than two tokens
	ManyTokens         // it was answered with more tokens than 32 bits count
)

// counterLine keeps counters that different goroutines write on different cache lines.
type counterLine [64]byte

// issueLane counts the samples of one issuing goroutine: those whose number modulo the number of lanes is the lane's
// own.
type issueLane struct {
	issued    atomic.Uint64
	_         counterLine
	completed atomic.Uint64 // only where there are several lanes
	_         counterLine
}

// Recorder holds the answers of one series. Issue belongs to the issuing goroutines, Await to one that waits, Complete
// and Finish to the goroutines that answer; the counters may be read by any.
type Recorder struct {
	first uint32
	done  []int64 // completion times, 0 while there is none
	token []int64 // times of first tokens, 0 while there is none; nil unless they are recorded
	count []uint32
	wake  chan struct{}

	lanes []issueLane // one for each goroutine that issues
	only  *issueLane  // the lane if there is one, else an empty one

	_         counterLine
	completed atomic.Uint64
	_         counterLine
	awaited   atomic.Uint64 // the completions that Await sleeps for; 0 when it does not
	_         counterLine
}

// New returns a recorder of the samples with ids first to first+n-1, issued by as many goroutines as there are lanes.
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

// Issue says that the first n samples of a lane are issued.
func (r *Recorder) Issue(lane int, n uint64) { r.lanes[lane].issued.Store(n) }

// Issued is the number of samples issued.
func (r *Recorder) Issued() uint64 {
	n := r.lanes[0].issued.Load()
	for i := 1; i < len(r.lanes); i++ {
		n += r.lanes[i].issued.Load()
	}
	return n
}

// HasIssued says whether sample i, counted from 0 in the series, is issued.
func (r *Recorder) HasIssued(i uint64) bool {
	if n := uint64(len(r.lanes)); n > 1 {
		return i/n < r.lanes[i%n].issued.Load()
	}
	return i < r.lanes[0].issued.Load()
}

// Reach is one more than the number of the last sample issued, 0 before the first.
func (r *Recorder) Reach() (reach uint64) {
	lanes := uint64(len(r.lanes))
	for k := range lanes {
		if n := r.lanes[k].issued.Load(); n > 0 {
			reach = max(reach, (n-1)*lanes+k+1)
		}
	}
	return reach
}

// IssuedFirst says whether the n samples issued are the first ones.
func (r *Recorder) IssuedFirst(n uint64) bool {
	lanes := uint64(len(r.lanes))
	for k := range lanes {
		if r.lanes[k].issued.Load() != (n+lanes-1-k)/lanes {
			return false
		}
	}
	return true
}

// Outstanding is how many samples of a lane are issued and not answered.
func (r *Recorder) Outstanding(lane int) uint64 {
	l := &r.lanes[lane]
	if len(r.lanes) > 1 {
		return l.issued.Load() - l.completed.Load()
	}
	return l.issued.Load() - r.completed.Load()
}

// Completed is the number of samples answered, as told to Finish.
func (r *Recorder) Completed() uint64 { return r.completed.Load() }

// CompleteFast is Complete where it is quick, small enough to be inlined. When it returns false, nothing is recorded:
// Complete does it, or says what is wrong.
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

// notIssued tells an id that was never issued from one of an earlier series: those ended with all samples answered.
func (r *Recorder) notIssued(id uint32) Fault {
	if id < r.first {
		return Twice
	}
	return NotIssued
}

// Finish counts n completed samples, after everything about them is recorded, and wakes Await if it waits for them.
func (r *Recorder) Finish(n uint64) {
	done := r.completed.Add(n)
	if want := r.awaited.Load(); want != 0 && done >= want {
		select {
		case r.wake <- struct{}{}:
		default: // a wake-up is under way already
		}
	}
}

// Await returns true when n samples are completed, false when ctx ends before. n must be above 0.
func (r *Recorder) Await(ctx context.Context, n uint64) bool {
	if r.completed.Load() >= n {
		return true
	}
	r.awaited.Store(n)
	defer r.awaited.Store(0)
	// Finish counts first and reads awaited then; here it is the other way round: one of the two sees the other.
	for r.completed.Load() < n {
		select {
		case <-r.wake:
		case <-ctx.Done():
			return r.completed.Load() >= n
		}
	}
	return true
}

// Done is the completion time of sample i, counted from 0 in the series, or 0 while there is none.
func (r *Recorder) Done(i uint64) int64 { return atomic.LoadInt64(&r.done[i]) }

// Times gives the completion times of the first n samples. The caller must know that all of them are completed.
func (r *Recorder) Times(n uint64) []int64 { return r.done[:n:n] }
