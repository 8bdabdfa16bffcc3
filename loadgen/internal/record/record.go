// Package record keeps the completion times of one series: one preallocated slot per sample, written without locks or
// allocation by whichever goroutine the SUT answers on.
//
// In: times and ids. Out: clocks, percentiles, payloads.
package record

import (
	"context"
	"sync/atomic"
)

// Fault says what is wrong with an answer.
type Fault int

// The faults.
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

// line keeps counters that different goroutines write on different cache lines.
type line [64]byte

// Recorder holds the answers of one series. Issue and Await belong to the issuing goroutine, Complete and Finish to the
// goroutines that answer; the counters may be read by any.
type Recorder struct {
	first uint32
	done  []int64 // completion times, 0 while there is none
	token []int64 // times of first tokens, 0 while there is none; nil unless they are recorded
	count []uint32
	wake  chan struct{}

	_         line
	issued    atomic.Uint64
	_         line
	completed atomic.Uint64
	_         line
	awaited   atomic.Uint64 // the completions that Await sleeps for; 0 when it does not
	_         line
}

// New returns a recorder of the samples with ids first to first+n-1.
func New(first uint32, n int, kind Kind) *Recorder {
	r := &Recorder{first: first, done: make([]int64, n), wake: make(chan struct{}, 1)}
	if kind != Latencies {
		r.count = make([]uint32, n)
	}
	if kind == FirstTokens {
		r.token = make([]int64, n)
	}
	return r
}

// Issue says that the first n samples are issued.
func (r *Recorder) Issue(n uint64) { r.issued.Store(n) }

// Issued is the number of samples issued.
func (r *Recorder) Issued() uint64 { return r.issued.Load() }

// Completed is the number of samples answered, as told to Finish.
func (r *Recorder) Completed() uint64 { return r.completed.Load() }

// Complete records that the sample was answered at a time, which counts as at least 1 ns.
func (r *Recorder) Complete(id uint32, at int64) Fault {
	i := uint64(id - r.first)
	if !r.hasIssued(i) {
		return r.notIssued(id)
	}
	if !atomic.CompareAndSwapInt64(&r.done[i], 0, max(at, 1)) {
		return Twice
	}
	return None
}

func (r *Recorder) hasIssued(i uint64) bool { return i < r.issued.Load() }

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
