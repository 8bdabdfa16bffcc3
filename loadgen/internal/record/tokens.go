package record

import (
	"math"
	"sync/atomic"
)

// Kind determines what a Recorder records of each sample.
type Kind int

// Each kind records everything that the previous kind records, and takes more memory.
const (
	Latencies   Kind = iota // the completion time
	Tokens                  // also the number of tokens
	FirstTokens             // also the time of the first token
)

// LeastTokens is the minimum number of tokens of an answer. A time per token after the first requires two.
const LeastTokens = 2

// FirstToken records that the sample's first token came at a time, which must be above 0.
func (r *Recorder) FirstToken(id uint32, at int64) Fault {
	i := uint64(id - r.first)
	if !r.HasIssued(i) {
		return r.notIssued(id)
	}
	if atomic.LoadInt64(&r.done[i]) != 0 {
		return Late
	}
	if !atomic.CompareAndSwapInt64(&r.token[i], 0, at) {
		return Again
	}
	return None
}

// CompleteTokens records like Complete an answer of n tokens.
func (r *Recorder) CompleteTokens(id uint32, at, n int64) Fault {
	i := uint64(id - r.first)
	switch {
	case !r.HasIssued(i):
		return r.notIssued(id)
	case n < LeastTokens:
		return FewTokens
	case n > math.MaxUint32:
		return ManyTokens
	case r.token != nil && atomic.LoadInt64(&r.token[i]) == 0:
		return NoFirstToken
	}
	fault := r.Complete(id, at)
	if fault == None {
		atomic.StoreUint32(&r.count[i], uint32(n))
	}
	return fault
}

// FirstTokenTimes returns the times of the first tokens of the first n samples, or nil if the kind does not record
// them. All of the samples must be completed.
func (r *Recorder) FirstTokenTimes(n uint64) []int64 {
	if r.token == nil {
		return nil
	}
	return r.token[:n:n]
}

// TokenCounts returns the numbers of tokens of the first n samples, or nil if the kind does not record them. All of the
// samples must be completed.
func (r *Recorder) TokenCounts(n uint64) []uint32 {
	if r.count == nil {
		return nil
	}
	return r.count[:n:n]
}

// TokensOf returns the time of the first token and the number of tokens of sample i. Each is 0 if it is not known yet
// or not recorded.
func (r *Recorder) TokensOf(i uint64) (first int64, n uint32) {
	if r.token != nil {
		first = atomic.LoadInt64(&r.token[i])
	}
	if r.count != nil {
		n = atomic.LoadUint32(&r.count[i])
	}
	return first, n
}
