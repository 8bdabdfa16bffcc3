package feed

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// Histogram counts times in buckets of 1/64 of an octave. Their bounds are at most 1.6 % apart, and exact for times up
// to 128 ns. The zero value is empty.
type Histogram struct {
	counts []uint64 // grows when it is first added to
	N      uint64
	Sum    float64 // ns
	Max    time.Duration
}

// Each octave has 1 << fine buckets.
const (
	fine    = 6
	buckets = (64-fine)<<fine + 1<<fine
)

// Add counts a time; one below 0 is 0.
func (h *Histogram) Add(d time.Duration) {
	if h.counts == nil {
		h.counts = make([]uint64, buckets)
	}
	d = max(d, 0)
	h.counts[bucketOf(d)]++
	h.N++
	h.Sum += float64(d)
	h.Max = max(h.Max, d)
}

// bucketOf is the number of the bucket of d: those above bound(i-1), up to bound(i).
func bucketOf(d time.Duration) int { return orderstat.Bucket(uint64(max(d, 1))-1, fine) }

// bucketBound is the largest time in a bucket.
func bucketBound(i int) time.Duration {
	_, highest := orderstat.Bounds(i, fine)
	return time.Duration(highest + 1)
}

// Reset empties it, and keeps its memory.
func (h *Histogram) Reset() {
	clear(h.counts)
	*h = Histogram{counts: h.counts}
}

// At is the time at a fraction of the times in order: the bound of the bucket of element trunc(n*p), as LoadGen takes
// percentiles, and never more than the largest time. It is 0 where there is none.
func (h *Histogram) At(p float64) time.Duration {
	rank, sum := min(uint64(float64(h.N)*p), max(h.N, 1)-1), uint64(0)
	for i, n := range h.counts {
		if sum += n; sum > rank {
			return min(bucketBound(i), h.Max)
		}
	}
	return h.Max
}

// Coarse are the bounds of eight buckets an octave, from 1.024 us to 1,100 s: 6.7 to 12.5 % apart.
func Coarse() []time.Duration {
	var all []time.Duration
	for i := bucketOf(1<<10) + 1<<fine>>3; bucketBound(i) <= 1<<40; i += 1 << fine >> 3 {
		all = append(all, bucketBound(i))
	}
	return append([]time.Duration{1 << 10}, all...)
}

// UpTo counts the times up to each of the bounds, which must be some of Coarse, in order.
func (h *Histogram) UpTo(bounds []time.Duration) []uint64 {
	out := make([]uint64, len(bounds))
	var sum uint64
	next := 0
	for k, b := range bounds {
		for end := bucketOf(b) + 1; next < end && next < len(h.counts); next++ {
			sum += h.counts[next]
		}
		out[k] = sum
	}
	return out
}

// Merge adds what o has counted.
func (h *Histogram) Merge(o *Histogram) {
	if o.N == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint64, buckets)
	}
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.N, h.Sum, h.Max = h.N+o.N, h.Sum+o.Sum, max(h.Max, o.Max)
}
