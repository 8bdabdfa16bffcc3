// Package orderstat finds order statistics of many integers without sorting or copying them.
//
// The values come as a sequence of chunks that can be walked again and again: a few walks of some nanoseconds per
// value replace the sorted copy that percentiles need otherwise.
package orderstat

import (
	"iter"
	"math/bits"
	"slices"
)

// Chunks is a sequence of values in pieces. Each walk must give the same values; a chunk is valid until the next.
type Chunks = iter.Seq[[]int64]

// Moments describe a set of values.
type Moments struct {
	N        int
	Min, Max int64
	Mean     int64 // truncated
	Above    int   // how many are greater than the limit
}

// Describe walks values once. Values must not be negative.
func Describe(values Chunks, limit int64) Moments {
	m := Moments{Min: 1<<63 - 1}
	var high, low uint64 // the sum: 2^32 latencies of minutes do not fit into 64 bits
	for chunk := range values {
		var sum uint64
		for _, v := range chunk {
			m.Min = min(m.Min, v)
			m.Max = max(m.Max, v)
			if v > limit {
				m.Above++
			}
			var carry uint64
			sum, carry = bits.Add64(sum, uint64(v), 0)
			high += carry
		}
		var carry uint64
		low, carry = bits.Add64(low, sum, 0)
		high += carry
		m.N += len(chunk)
	}
	if m.N == 0 {
		return Moments{}
	}
	mean, _ := bits.Div64(high, low, uint64(m.N))
	m.Mean = int64(mean)
	return m
}

const (
	// few is how many values of a bucket are worth sorting.
	few = 1 << 15
	// mantissa is the number of bits that buckets resolve: each is at most 2^-mantissa of the interval wide.
	mantissa = 10
	buckets  = (64 - mantissa) << mantissa
)

// Select returns the elements at the given ranks (0-based, below m.N) of the sorted values that m describes.
func Select(values Chunks, m Moments, ranks []int) []int64 {
	s := selector{values: values, ranks: ranks, found: make([]int64, len(ranks))}
	if m.N > 0 && len(ranks) > 0 {
		all := make([]int, len(ranks))
		for i := range all {
			all[i] = i
		}
		s.resolve(interval{lo: m.Min, hi: m.Max, count: m.N, wanted: all})
	}
	return s.found
}

// interval is a range of values that holds wanted ranks.
type interval struct {
	lo, hi int64 // both inside
	first  int   // rank of its smallest value
	count  int
	wanted []int // positions in selector.ranks
	values []int64
}

type selector struct {
	values Chunks
	ranks  []int
	found  []int64
}

// resolve finds the wanted ranks of an interval: at once where it is one value wide, else in its buckets.
func (s *selector) resolve(v interval) {
	if v.lo == v.hi {
		for _, w := range v.wanted {
			s.found[w] = v.lo
		}
		return
	}
	var small []interval
	for _, b := range s.split(v) {
		if b.lo == b.hi || b.count > few {
			s.resolve(b)
		} else {
			small = append(small, b)
		}
	}
	s.gather(v, small)
}

// split walks the values once and returns those buckets of v that hold wanted ranks.
func (s *selector) split(v interval) []interval {
	counts := make([]uint32, buckets)
	for chunk := range s.values {
		for _, x := range chunk {
			if x >= v.lo && x <= v.hi {
				counts[bucket(uint64(x-v.lo))]++
			}
		}
	}
	wanted := slices.Clone(v.wanted)
	slices.SortFunc(wanted, func(a, b int) int { return s.ranks[a] - s.ranks[b] })
	var parts []interval
	first := v.first
	for b := 0; b < buckets && len(wanted) > 0; b++ {
		next := first + int(counts[b])
		n := 0
		for n < len(wanted) && s.ranks[wanted[n]] < next {
			n++
		}
		if n > 0 {
			lo, hi := bounds(b)
			part := interval{lo: v.lo + lo, hi: min(v.hi, v.lo+hi), first: first, count: int(counts[b]), wanted: wanted[:n:n]}
			parts, wanted = append(parts, part), wanted[n:]
		}
		first = next
	}
	return parts
}

// gather walks the values once and sorts those of the small buckets of v.
func (s *selector) gather(v interval, small []interval) {
	if len(small) == 0 {
		return
	}
	owner := make([]uint8, buckets) // 1 + position in small
	for i := range small {
		small[i].values = make([]int64, 0, small[i].count)
		owner[bucket(uint64(small[i].lo-v.lo))] = uint8(i + 1)
	}
	for chunk := range s.values {
		for _, x := range chunk {
			if x < v.lo || x > v.hi {
				continue
			}
			if o := owner[bucket(uint64(x-v.lo))]; o > 0 {
				small[o-1].values = append(small[o-1].values, x)
			}
		}
	}
	for _, b := range small {
		slices.Sort(b.values)
		for _, w := range b.wanted {
			s.found[w] = b.values[s.ranks[w]-b.first]
		}
	}
}

// bucket numbers distances from an interval's start: exact up to 2^mantissa, then with mantissa bits each.
func bucket(d uint64) int {
	e := max(bits.Len64(d)-mantissa-1, 0)
	return e<<mantissa + int(d>>e)
}

// bounds are the smallest and the largest distance in bucket b.
func bounds(b int) (lo, hi int64) {
	if b < 2<<mantissa {
		return int64(b), int64(b)
	}
	e := b>>mantissa - 1
	lo = int64(b-e<<mantissa) << e
	return lo, lo + 1<<e - 1
}
