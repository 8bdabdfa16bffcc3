// Package orderstat finds order statistics of many integers without sorting or copying them.
//
// It makes a few passes over the values on all processors, each of about a nanosecond per value. Other methods of
// computing percentiles sort a copy.
package orderstat

import (
	"math/bits"
	"slices"
)

// Moments describes a set of values.
type Moments struct {
	N        int
	Min, Max int64
	Mean     int64 // truncated
	Above    int   // number of values greater than the limit
}

// Describe computes the moments of values in one pass. Values must not be negative.
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
	mean, _ := bits.Div64(sum.sumHigh, sum.sumLow, uint64(sum.n))
	return Moments{N: sum.n, Min: sum.min, Max: sum.max, Mean: int64(mean), Above: sum.above}
}

// Max returns the largest of the values and 0.
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

// partialMoments holds the moments of the values that one worker has seen. It is zero before the first value.
type partialMoments struct {
	n, above        int
	min, max        int64
	sumHigh, sumLow uint64 // the sum, because 2^32 latencies of minutes do not fit into 64 bits
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
	p.mergePartial(partialMoments{n: count, above: above, min: least, max: most, sumHigh: high, sumLow: low})
}

// equalRun returns the number of equal values at the beginning of chunk, which must not be empty. Samples of a batch
// have equal times because they are answered together.
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
	p.sumLow, carry = bits.Add64(p.sumLow, q.sumLow, 0)
	p.sumHigh += q.sumHigh + carry
}

const (
	// maxSorted is the number of values up to which a bucket is sorted.
	maxSorted = 1 << 13
	// mantissa is the number of bits that buckets resolve. A bucket's width is at most 2^-mantissa of the interval.
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

// valueInterval is a range of values that contains wanted ranks.
type valueInterval struct {
	lo, hi int64 // both inclusive
	first  int   // rank of its smallest value
	count  int
	wanted []int // indices into rankSelector.ranks, ordered by rank
}

func (v valueInterval) contains(x int64) bool { return uint64(x-v.lo) <= uint64(v.hi-v.lo) }

type rankSelector struct {
	values Values
	ranks  []int
	found  []int64
	counts [][]uint32 // counts of the buckets, by worker; used again for each interval
}

// resolveInterval finds the wanted ranks of an interval. An interval of one value needs no pass; others are split into
// buckets.
func (s *rankSelector) resolveInterval(v valueInterval) {
	if v.lo == v.hi {
		for _, w := range v.wanted {
			s.found[w] = v.lo
		}
		return
	}
	var small []valueInterval
	for _, b := range s.splitBuckets(v) {
		if b.lo == b.hi || b.count > maxSorted {
			s.resolveInterval(b)
		} else {
			small = append(small, b)
		}
	}
	s.gatherValues(v, small)
}

// splitBuckets makes one pass over the values and returns the buckets of v that contain wanted ranks.
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

// countBuckets returns the number of values of v in each bucket.
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

// gatherValues makes one pass over the values and sorts those in the small buckets of v.
func (s *rankSelector) gatherValues(v valueInterval, small []valueInterval) {
	if len(small) == 0 {
		return
	}
	owner := make([]uint8, buckets) // 1 + index into small
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

// makeLists allocates lists for the values of small buckets, by worker and bucket.
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

// Bucket returns the bucket number of v in a histogram with the given precision in bits. Values below 2^(precision+1)
// have a bucket each. Larger values share a bucket with values that differ by less than one part in 2^precision.
func Bucket(v uint64, precision int) int {
	e := max(bits.Len64(v)-precision-1, 0)
	return e<<precision + int(v>>(uint(e)&63))
}

// Bounds returns the smallest and the largest value of a bucket.
func Bounds(bucket, precision int) (lo, hi int64) {
	e := max(bucket>>precision-1, 0)
	lo = int64(bucket-e<<precision) << e
	return lo, lo + 1<<e - 1
}
