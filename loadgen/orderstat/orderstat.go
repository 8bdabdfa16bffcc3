// Package orderstat finds order statistics of many integers without sorting or copying them.
//
// A few passes over the values on all processors, a nanosecond per value each, replace the sorted copy that percentiles
// would otherwise need.
package orderstat

import (
	"math/bits"
	"slices"
)

// Moments describe a set of values.
type Moments struct {
	N        int
	Min, Max int64
	Mean     int64 // truncated
	Above    int   // how many are greater than the limit
}

// Describe walks values, none of which is negative, once.
func Describe(values Values, limit int64) Moments {
	parts := make([]partialMoments, values.workerCount())
	values.walkChunks(len(parts), func(worker int, chunk []int64) { parts[worker].addChunk(chunk, limit) })
	var sum partialMoments
	for _, p := range parts {
		sum.mergePartial(p)
	}
	if sum.n == 0 {
		return Moments{}
	}
	mean, _ := bits.Div64(sum.high, sum.low, uint64(sum.n))
	return Moments{N: sum.n, Min: sum.min, Max: sum.max, Mean: int64(mean), Above: sum.above}
}

// Max is the largest of the values, and of 0.
func Max(values Values) int64 {
	most := make([]int64, values.workerCount())
	values.walkChunks(len(most), func(worker int, chunk []int64) {
		m := most[worker]
		for _, v := range chunk {
			m = max(m, v)
		}
		most[worker] = m
	})
	return slices.Max(most)
}

// partialMoments is what one worker has seen; zero before the first value.
type partialMoments struct {
	n, above  int
	min, max  int64
	high, low uint64 // the sum: 2^32 latencies of minutes do not fit into 64 bits
}

func (p *partialMoments) addChunk(chunk []int64, limit int64) {
	if len(chunk) == 0 {
		return
	}
	count := len(chunk)
	least, most, above := chunk[0], chunk[0], 0
	var high, low, carry uint64
	for len(chunk) > 0 {
		v, n := chunk[0], equalRun(chunk)
		chunk = chunk[n:]
		least, most = min(least, v), max(most, v)
		if v > limit {
			above += n
		}
		over, under := bits.Mul64(uint64(v), uint64(n))
		low, carry = bits.Add64(low, under, 0)
		high += over + carry
	}
	p.mergePartial(partialMoments{n: count, above: above, min: least, max: most, high: high, low: low})
}

// equalRun is how many values at the beginning of chunk, which is not empty, are equal: samples of a batch are answered
// together.
func equalRun(chunk []int64) int {
	n := 1
	for n < len(chunk) && chunk[n] == chunk[0] {
		n++
	}
	return n
}

func (p *partialMoments) mergePartial(q partialMoments) {
	if q.n == 0 {
		return
	}
	if p.n == 0 {
		*p = q
		return
	}
	p.n += q.n
	p.above += q.above
	p.min, p.max = min(p.min, q.min), max(p.max, q.max)
	var carry uint64
	p.low, carry = bits.Add64(p.low, q.low, 0)
	p.high += q.high + carry
}

const (
	// few is how many values of a bucket are worth sorting.
	few = 1 << 13
	// mantissa is the number of bits that buckets resolve: each is at most 2^-mantissa of the interval wide.
	mantissa = 10
	buckets  = (64 - mantissa) << mantissa
)

// Select returns the elements at the given ranks (0-based, below m.N) of the sorted values that m describes.
func Select(values Values, m Moments, ranks []int) []int64 {
	s := rankSelector{
		values: values, ranks: ranks, found: make([]int64, len(ranks)), counts: make([][]uint32, values.workerCount()),
	}
	if m.N > 0 && len(ranks) > 0 {
		all := make([]int, len(ranks))
		for i := range all {
			all[i] = i
		}
		slices.SortFunc(all, func(a, b int) int { return ranks[a] - ranks[b] })
		s.resolveInterval(valueInterval{lo: m.Min, hi: m.Max, count: m.N, wanted: all})
	}
	return s.found
}

// valueInterval is a range of values that holds wanted ranks.
type valueInterval struct {
	lo, hi int64 // both inside
	first  int   // rank of its smallest value
	count  int
	wanted []int // positions in selector.ranks, by rank
}

func (v valueInterval) contains(x int64) bool { return uint64(x-v.lo) <= uint64(v.hi-v.lo) }

type rankSelector struct {
	values Values
	ranks  []int
	found  []int64
	counts [][]uint32 // of the buckets, by worker; used again for each interval
}

// resolveInterval finds the wanted ranks of an interval: at once where it is one value wide, else in its buckets.
func (s *rankSelector) resolveInterval(v valueInterval) {
	if v.lo == v.hi {
		for _, w := range v.wanted {
			s.found[w] = v.lo
		}
		return
	}
	var small []valueInterval
	for _, b := range s.splitBuckets(v) {
		if b.lo == b.hi || b.count > few {
			s.resolveInterval(b)
		} else {
			small = append(small, b)
		}
	}
	s.gatherValues(v, small)
}

// splitBuckets walks the values once and returns those buckets of v that hold wanted ranks.
func (s *rankSelector) splitBuckets(v valueInterval) []valueInterval {
	counts := s.countBuckets(v)
	var parts []valueInterval
	first, wanted := v.first, v.wanted
	for b := 0; b < buckets && len(wanted) > 0; b++ {
		n := 0
		for n < len(wanted) && s.ranks[wanted[n]] < first+int(counts[b]) {
			n++
		}
		if n > 0 {
			lo, hi := Bounds(b, mantissa)
			part := valueInterval{lo: v.lo + lo, hi: min(v.hi, v.lo+hi), first: first, count: int(counts[b]),
				wanted: wanted[:n:n]}
			parts, wanted = append(parts, part), wanted[n:]
		}
		first += int(counts[b])
	}
	return parts
}

// countBuckets is how many values of v each bucket holds.
func (s *rankSelector) countBuckets(v valueInterval) []uint32 {
	for w := range s.counts {
		if s.counts[w] == nil {
			s.counts[w] = make([]uint32, buckets)
		}
		clear(s.counts[w])
	}
	s.values.walkChunks(len(s.counts), func(worker int, chunk []int64) {
		counts := s.counts[worker][:buckets]
		for len(chunk) > 0 {
			x, n := chunk[0], equalRun(chunk)
			chunk = chunk[n:]
			if v.contains(x) {
				counts[Bucket(uint64(x-v.lo), mantissa)] += uint32(n)
			}
		}
	})
	sum := s.counts[0]
	for _, counts := range s.counts[1:] {
		for b, n := range counts {
			sum[b] += n
		}
	}
	return sum
}

// gatherValues walks the values once and sorts those of the small buckets of v.
func (s *rankSelector) gatherValues(v valueInterval, small []valueInterval) {
	if len(small) == 0 {
		return
	}
	owner := make([]uint8, buckets) // 1 + position in small
	for i, b := range small {
		owner[Bucket(uint64(b.lo-v.lo), mantissa)] = uint8(i + 1)
	}
	lists := s.makeLists(small)
	s.values.walkChunks(len(s.counts), func(worker int, chunk []int64) {
		mine := lists[worker]
		for len(chunk) > 0 {
			x, n := chunk[0], equalRun(chunk)
			if v.contains(x) {
				if o := owner[Bucket(uint64(x-v.lo), mantissa)]; o > 0 {
					mine[o-1] = append(mine[o-1], chunk[:n]...)
				}
			}
			chunk = chunk[n:]
		}
	})
	for i, b := range small {
		values := lists[0][i]
		for _, more := range lists[1:] {
			values = append(values, more[i]...)
		}
		slices.Sort(values)
		for _, w := range b.wanted {
			s.found[w] = values[s.ranks[w]-b.first]
		}
	}
}

// makeLists has room for the values of small buckets, by worker and bucket.
func (s *rankSelector) makeLists(small []valueInterval) [][][]int64 {
	lists := make([][][]int64, len(s.counts))
	for w := range lists {
		lists[w] = make([][]int64, len(small))
		for i, b := range small {
			lists[w][i] = make([]int64, 0, b.count/len(lists)+b.count%len(lists))
		}
	}
	return lists
}

// Bucket numbers the buckets of a histogram that resolves so many bits: values below 2^(precision+1) have one each,
// those above share one with values that differ by less than one part in 2^precision.
func Bucket(v uint64, precision int) int {
	e := max(bits.Len64(v)-precision-1, 0)
	return e<<precision + int(v>>(uint(e)&63))
}

// Bounds are the smallest and the largest value of a bucket.
func Bounds(bucket, precision int) (lo, hi int64) {
	e := max(bucket>>precision-1, 0)
	lo = int64(bucket-e<<precision) << e
	return lo, lo + 1<<e - 1
}
