package series

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// Histogram counts all values of a measure in buckets. Each value below 2^Bits has its own bucket. Larger values share
// a bucket with values that differ by less than one part in 2^Bits. Counts are exact.
type Histogram struct {
	Name  string `json:"name"`
	Bits  int    `json:"bits"`
	Count uint64 `json:"count"`
	Min   int64  `json:"min_ns"`
	Max   int64  `json:"max_ns"`
	// Sum is the sum of all values, rounded to a float64.
	Sum     float64 `json:"sum_ns"`
	Buckets Buckets `json:"buckets"`
}

// Bucket is a bucket that is not empty. Its lowest value is LowestValue(Index, Bits).
type Bucket struct {
	Index int64
	Count uint64
}

// Buckets is an ascending list of buckets. Its JSON contains two numbers for each bucket: the distance from the
// previous index (the first from -1), and the count.
type Buckets []Bucket

// With maxBits, a bucket is as wide as 0.05 % of its values. maxBuckets limits the buckets of a file; with more, bits
// are reduced.
const (
	maxBits    = 11
	maxBuckets = 12000
)

// bucketOf returns the bucket of a value, which must not be negative.
func bucketOf(v int64, precision int) int64 { return int64(orderstat.Bucket(uint64(v), precision)) }

// LowestValue returns the lowest value of a bucket.
func LowestValue(index int64, precision int) int64 {
	low, _ := orderstat.Bounds(int(index), precision)
	return low
}

// MarshalJSON implements json.Marshaler.
func (b Buckets) MarshalJSON() ([]byte, error) {
	flat := make([]uint64, 0, 2*len(b))
	last := int64(-1)
	for _, bucket := range b {
		flat = append(flat, uint64(bucket.Index-last), bucket.Count)
		last = bucket.Index
	}
	return json.Marshal(flat)
}

// UnmarshalJSON implements json.Unmarshaler.
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

// Quantile returns the value at a fraction p of the sorted values, by LoadGen's definition: number trunc(Count*p),
// counted from 0. The error is up to half a bucket, and the value is between Min and Max. Without values it returns 0.
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
			return h.clampedMiddle(b.Index)
		}
	}
	return h.Max
}

// clampedMiddle returns the middle of a bucket, limited to Min and Max.
func (h *Histogram) clampedMiddle(index int64) int64 {
	low, high := orderstat.Bounds(int(index), h.Bits)
	return min(max(low+(high-low+1)/2, h.Min), h.Max)
}

// Mean returns the mean of all values, or 0 if there are none.
func (h *Histogram) Mean() float64 {
	if h.Count == 0 {
		return 0
	}
	return h.Sum / float64(h.Count)
}

// Share returns the fraction of values whose bucket is not above that of v.
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

// counter counts values in a histogram.
type counter struct {
	Histogram
	counts []uint64 // by bucket, up to the highest value
	filled Buckets  // memory for the buckets that are not empty
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

// histogram returns the counts, with fewer bits if there are too many buckets.
func (c *counter) histogram() Histogram {
	h := c.atPrecision(maxBits)
	for len(h.Buckets) > maxBuckets && h.Bits > 1 {
		h = c.atPrecision(h.Bits - 1)
	}
	h.Buckets = slices.Clone(h.Buckets)
	return h
}

// atPrecision returns the counts at a precision. Its buckets share the counter's memory and are valid until the next
// call.
func (c *counter) atPrecision(precision int) Histogram {
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
		index := bucketOf(LowestValue(int64(i), maxBits), precision)
		if last := len(all) - 1; last >= 0 && all[last].Index == index {
			all[last].Count += n
			continue
		}
		all = append(all, Bucket{index, n})
	}
	c.filled, h.Buckets = all, all
	return h
}

// reset removes all counts.
func (c *counter) reset() {
	clear(c.counts)
	c.Histogram = newCounter(c.Name).Histogram
}
