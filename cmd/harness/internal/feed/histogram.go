package feed

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// Histogram counts times in buckets of 1/64 of an octave. Adjacent bounds differ by up to 1.6 %, and times up to 128 ns
// are exact. The zero value is empty.
type Histogram struct {
	counts []uint64 // allocated by the first Add
	N      uint64
	Sum    float64 // ns
	Max    time.Duration
}

// fine is log2 of the buckets per octave.
const (
	bucketBits  = 6
	bucketCount = (64-bucketBits)<<bucketBits + 1<<bucketBits
)

// Add counts a time. Negative times count as 0.
func (h *Histogram) Add(d time.Duration) {
	if h.counts == nil {
		h.counts = make([]uint64, bucketCount)
	}
	d = max(d, 0)
	h.counts[bucketIndex(d)]++
	h.N++
	h.Sum += float64(d)
	h.Max = max(h.Max, d)
}

// bucketIndex returns the number i of the bucket of d, which contains the times above bucketBound(i-1) and up to
// bucketBound(i).
func bucketIndex(d time.Duration) int { return orderstat.Bucket(uint64(max(d, 1))-1, bucketBits) }

// bucketBound returns the largest time in a bucket.
func bucketBound(i int) time.Duration {
	_, highest := orderstat.Bounds(i, bucketBits)
	return time.Duration(highest + 1)
}

// Reset empties the histogram and keeps its memory.
func (h *Histogram) Reset() {
	clear(h.counts)
	*h = Histogram{counts: h.counts}
}

// Percentile returns the percentile of fraction p by LoadGen's definition: the upper bound of the bucket that contains
// element trunc(n*p) of the sorted times, but no more than Max. It returns 0 if the histogram is empty.
func (h *Histogram) Percentile(p float64) time.Duration {
	rank, sum := min(uint64(float64(h.N)*p), max(h.N, 1)-1), uint64(0)
	for i, n := range h.counts {
		if sum += n; sum > rank {
			return min(bucketBound(i), h.Max)
		}
	}
	return h.Max
}

// CoarseBounds returns the bounds of eight buckets per octave, from 1.024 us to 1,100 s. They are 6.7 to 12.5 % apart.
func CoarseBounds() []time.Duration {
	var all []time.Duration
	for i := bucketIndex(1<<10) + 1<<bucketBits>>3; bucketBound(i) <= 1<<40; i += 1 << bucketBits >> 3 {
		all = append(all, bucketBound(i))
	}
	return append([]time.Duration{1 << 10}, all...)
}

// CountUpTo counts the times up to each of the bounds, which must be an ordered subset of Coarse.
func (h *Histogram) CountUpTo(bounds []time.Duration) []uint64 {
	out := make([]uint64, len(bounds))
	var sum uint64
	next := 0
	for k, b := range bounds {
		for end := bucketIndex(b) + 1; next < end && next < len(h.counts); next++ {
			sum += h.counts[next]
		}
		out[k] = sum
	}
	return out
}

// Merge adds the counts of o.
func (h *Histogram) Merge(o *Histogram) {
	if o.N == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint64, bucketCount)
	}
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.N, h.Sum, h.Max = h.N+o.N, h.Sum+o.Sum, max(h.Max, o.Max)
}
