package loadgen

import (
	"iter"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/orderstat"
)

// logPercentiles are those of the logs.
var logPercentiles = [...]float64{0.50, 0.90, 0.95, 0.97, 0.99, 0.999}

// chunk is how many latencies are computed at once: they stay in the first-level cache.
const chunk = 1024

// sampleLatencies are the latencies of p's completed samples: completion - scheduled time of the query.
func sampleLatencies(p *series) iter.Seq[[]int64] {
	if p.SamplesPerQuery == 1 {
		return differences(p.Done, p.Scheduled)
	}
	return func(yield func([]int64) bool) {
		per := int(p.SamplesPerQuery)
		buf := make([]int64, 0, chunk)
		for first, q := 0, 0; first < len(p.Done); first, q = first+per, q+1 {
			due, done := p.Scheduled[q], p.Done[first:min(first+per, len(p.Done))]
			for len(done) > 0 {
				n := min(len(done), chunk)
				buf = appendLatencies(buf[:0], done[:n], due)
				if !yield(buf) {
					return
				}
				done = done[n:]
			}
		}
	}
}

func appendLatencies(dst, done []int64, due int64) []int64 {
	for _, d := range done {
		if d >= 0 {
			dst = append(dst, d-due)
		}
	}
	return dst
}

// differences are later[i] - earlier[i] wherever later is a time: negative stands for never.
func differences(later, earlier []int64) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		buf := make([]int64, 0, chunk)
		for i := 0; i < len(later); i += chunk {
			buf = buf[:0]
			from := earlier[i:]
			for j, d := range later[i:min(i+chunk, len(later))] {
				if d >= 0 {
					buf = append(buf, d-from[j])
				}
			}
			if !yield(buf) {
				return
			}
		}
	}
}

// queryLatencies are the latencies of p's completed queries: from the scheduled time to the last sample's completion.
func queryLatencies(p *series) iter.Seq[[]int64] {
	if p.SamplesPerQuery == 1 {
		return sampleLatencies(p)
	}
	return func(yield func([]int64) bool) {
		per := int(p.SamplesPerQuery)
		buf := make([]int64, 0, chunk)
		for first, q := 0, 0; first+per <= len(p.Done); first, q = first+per, q+1 {
			if last, ok := lastOf(p.Done[first : first+per]); ok {
				buf = append(buf, last-p.Scheduled[q])
			}
			if len(buf) == chunk {
				if !yield(buf) {
					return
				}
				buf = buf[:0]
			}
		}
		yield(buf)
	}
}

// lastOf is the latest of the times; ok is false where one never came.
func lastOf(done []int64) (last int64, ok bool) {
	for _, d := range done {
		if d < 0 {
			return 0, false
		}
		last = max(last, d)
	}
	return last, true
}

// distribution describes latencies and answers order statistics of them.
type distribution struct {
	values iter.Seq[[]int64]
	orderstat.Moments
}

// describe measures latencies; those above limit are counted.
func describe(values iter.Seq[[]int64], limit time.Duration) distribution {
	return distribution{values, orderstat.Describe(values, limit.Nanoseconds())}
}

// rank is the position of percentile p among n sorted values: trunc(n*p), no interpolation.
func rank(n int, p float64) int {
	return max(0, min(int(float64(n)*p), n-1))
}

// at returns the latencies at the log percentiles and at further ranks.
func (d distribution) at(ranks ...int) (LatencySummary, []time.Duration) {
	s := LatencySummary{N: d.N, Min: time.Duration(d.Min), Max: time.Duration(d.Max), Mean: time.Duration(d.Mean)}
	if d.N == 0 {
		return s, make([]time.Duration, len(ranks))
	}
	var all []int
	for _, p := range logPercentiles {
		all = append(all, rank(d.N, p))
	}
	found := orderstat.Select(d.values, d.Moments, append(all, ranks...))
	for i, p := range logPercentiles {
		s.Percentiles = append(s.Percentiles, Percentile{P: p, Latency: time.Duration(found[i])})
	}
	more := make([]time.Duration, len(ranks))
	for i, v := range found[len(logPercentiles):] {
		more[i] = time.Duration(v)
	}
	return s, more
}
