package series

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// Histogram counts all values of a measure in buckets. Values below 2^Bits have a bucket each; those above share one
// with values that differ by less than one part in 2^Bits. Counts are exact.
type Histogram struct {
	Name  string `json:"name"`
	Bits  int    `json:"bits"`
	Count uint64 `json:"count"`
	Min   int64  `json:"min_ns"`
	Max   int64  `json:"max_ns"`
	// Sum is that of all values, rounded to a float64.
	Sum     float64 `json:"sum_ns"`
	Buckets Buckets `json:"buckets"`
}

// Bucket is one that is not empty. Its lowest value is Low(Index, Bits).
type Bucket struct {
	Index int64
	Count uint64
}

// Buckets ascend. Their text is a list of two numbers for each: how far it is from the one before (the first from -1),
// and its count.
type Buckets []Bucket

// maxBits make a bucket as wide as 0.05 % of its values; maxBuckets is how many a file holds: beyond it, bits go.
const (
	maxBits    = 11
	maxBuckets = 12000
)

// bucketOf is the bucket of a value of 0 or more.
func bucketOf(v int64, precision int) int64 { return int64(orderstat.Bucket(uint64(v), precision)) }

// Low is the lowest value of a bucket.
func Low(index int64, precision int) int64 {
	low, _ := orderstat.Bounds(int(index), precision)
	return low
}

// MarshalJSON writes gaps and counts.
func (b Buckets) MarshalJSON() ([]byte, error) {
	flat := make([]uint64, 0, 2*len(b))
	last := int64(-1)
	for _, bucket := range b {
		flat = append(flat, uint64(bucket.Index-last), bucket.Count)
		last = bucket.Index
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads gaps and counts.
func (b *Buckets) UnmarshalJSON(text []byte) error {
	var flat []uint64
	if err := json.Unmarshal(text, &flat); err != nil {
		return err
	}
	if len(flat)%2 != 0 {
		return fmt.Errorf("%d numbers of buckets, want two for each", len(flat))
	}
	*b = make(Buckets, 0, len(flat)/2)
	last := int64(-1)
	for i := 0; i < len(flat); i += 2 {
		if flat[i] == 0 || flat[i] > math.MaxInt32 {
			return fmt.Errorf("a bucket %d after bucket %d", flat[i], last)
		}
		last += int64(flat[i])
		*b = append(*b, Bucket{last, flat[i+1]})
	}
	return nil
}

// Quantile is the value at a fraction of the values in order, as LoadGen counts them: number trunc(Count*p), from 0. It
// is right to half a bucket, and never outside Min to Max. A histogram of no value has 0.
func (h *Histogram) Quantile(p float64) int64 {
	if h.Count == 0 {
		return 0
	}
	rank := uint64(max(0, min(float64(h.Count)*p, float64(h.Count-1))))
	if rank >= h.Count-1 {
		return h.Max
	}
	var seen uint64
	for _, b := range h.Buckets {
		if seen += b.Count; seen > rank {
			return h.within(b.Index)
		}
	}
	return h.Max
}

// within is the middle of a bucket, as far as there are values.
func (h *Histogram) within(index int64) int64 {
	low, high := orderstat.Bounds(int(index), h.Bits)
	return min(max(low+(high-low+1)/2, h.Min), h.Max)
}

// Mean is that of all values; 0 where there is none.
func (h *Histogram) Mean() float64 {
	if h.Count == 0 {
		return 0
	}
	return h.Sum / float64(h.Count)
}

// Share is the part of the values whose bucket is not above that of v.
func (h *Histogram) Share(v int64) float64 {
	if h.Count == 0 || v < 0 {
		return 0
	}
	var seen uint64
	last := bucketOf(v, h.Bits)
	for _, b := range h.Buckets {
		if b.Index > last {
			break
		}
		seen += b.Count
	}
	return float64(seen) / float64(h.Count)
}

// counter counts values.
type counter struct {
	Histogram
	counts []uint64 // by bucket, as far as there are values
	filled Buckets  // room for those that are not empty
}

func newCounter(name string) *counter {
	return &counter{Histogram: Histogram{Name: name, Bits: maxBits, Min: math.MaxInt64}}
}

func (c *counter) add(v int64) {
	v = max(v, 0)
	i := bucketOf(v, maxBits)
	if i >= int64(len(c.counts)) {
		c.counts = append(c.counts, make([]uint64, i+1-int64(len(c.counts)))...)
	}
	c.counts[i]++
	c.Count++
	c.Min, c.Max, c.Sum = min(c.Min, v), max(c.Max, v), c.Sum+float64(v)
}

// histogram is what was counted; coarser where the buckets would be too many.
func (c *counter) histogram() Histogram {
	h := c.at(maxBits)
	for len(h.Buckets) > maxBuckets && h.Bits > 1 {
		h = c.at(h.Bits - 1)
	}
	h.Buckets = slices.Clone(h.Buckets)
	return h
}

// at is what was counted at a precision. Its buckets are the counter's own: they hold until the next call.
func (c *counter) at(precision int) Histogram {
	h := c.Histogram
	h.Bits = precision
	if h.Count == 0 {
		h.Min = 0
	}
	all := c.filled[:0]
	for i, n := range c.counts {
		if n == 0 {
			continue
		}
		index := bucketOf(Low(int64(i), maxBits), precision)
		if last := len(all) - 1; last >= 0 && all[last].Index == index {
			all[last].Count += n
			continue
		}
		all = append(all, Bucket{index, n})
	}
	c.filled, h.Buckets = all, all
	return h
}

// reset forgets what was counted.
func (c *counter) reset() {
	clear(c.counts)
	c.Histogram = newCounter(c.Name).Histogram
}
