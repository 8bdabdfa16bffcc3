package loadgen

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/orderstat"
)

// logPercentiles lists the percentiles in the logs.
var logPercentiles = [...]float64{0.50, 0.90, 0.95, 0.97, 0.99, 0.999}

// sampleLatencies returns the latencies of p's completed samples: completion minus scheduled time of the query.
func sampleLatencies(p *testSeries) orderstat.Values {
	per := int(p.SamplesPerQuery)
	switch {
	case per == 1:
		return timeDifferences(p.Done, p.Scheduled)
	case len(p.Scheduled) == 1 && p.Scheduled[0] == 0 && p.Answered:
		return valuesOf(p.Done)
	}
	return orderstat.Values{N: len(p.Done), Chunk: func(buf []int64, from, to int) []int64 {
		for i := from; i < to; {
			q := i / per
			end := min((q+1)*per, to)
			buf = appendSince(buf, p.Done[i:end], p.Scheduled[q])
			i = end
		}
		return buf
	}}
}

// appendSince appends the times since start and omits events that never happened.
func appendSince(dst, times []int64, start int64) []int64 {
	for _, t := range times {
		if t >= 0 {
			dst = append(dst, t-start)
		}
	}
	return dst
}

// timeDifferences returns later[i] - earlier[i] for each i whose later time is not negative. Negative means that the
// event never happened.
func timeDifferences(later, earlier []int64) orderstat.Values {
	return orderstat.Values{N: len(later), Chunk: func(buf []int64, from, to int) []int64 {
		start := earlier[from:to]
		for i, t := range later[from:to] {
			if t >= 0 {
				buf = append(buf, t-start[i])
			}
		}
		return buf
	}}
}

// issueDelays returns the delays between the scheduled and the actual issue of p's queries.
func issueDelays(p *testSeries) orderstat.Values {
	return orderstat.Values{N: p.Queries, Chunk: func(buf []int64, from, to int) []int64 {
		for q := from; q < to; q++ {
			buf = append(buf, p.issueDelay(q))
		}
		return buf
	}}
}

// queryLatencies returns the latencies of p's completed queries: from the scheduled time to the last sample's
// completion.
func queryLatencies(p *testSeries) orderstat.Values {
	per := int(p.SamplesPerQuery)
	return orderstat.Values{N: p.Queries, Chunk: func(buf []int64, from, to int) []int64 {
		for q := from; q < to; q++ {
			if last, ok := latestOf(p.Done[q*per : (q+1)*per]); ok {
				buf = append(buf, last-p.Scheduled[q])
			}
		}
		return buf
	}}
}

// latestOf returns the latest of the times. ok is false if one event never happened.
func latestOf(done []int64) (last int64, ok bool) {
	for _, d := range done {
		if d < 0 {
			return 0, false
		}
		last = max(last, d)
	}
	return last, true
}

// valuesOf returns the times as Values.
func valuesOf(times []int64) orderstat.Values {
	return orderstat.Values{N: len(times), Chunk: func(_ []int64, from, to int) []int64 { return times[from:to] }}
}

// latestTime returns the latest time, or 0 if there is none.
func latestTime(times []int64) int64 { return orderstat.Max(valuesOf(times)) }

// latencyDistribution describes latencies and returns order statistics of them.
type latencyDistribution struct {
	values orderstat.Values
	orderstat.Moments
}

// describeLatencies measures latencies and counts those above limit.
func describeLatencies(values orderstat.Values, limit time.Duration) latencyDistribution {
	return latencyDistribution{values, orderstat.Describe(values, limit.Nanoseconds())}
}

// percentileRank returns the index of percentile p in n sorted values: trunc(n*p), without interpolation.
func percentileRank(n int, p float64) int {
	return max(0, min(int(float64(n)*p), n-1))
}

// latenciesAt returns the latencies at the log percentiles and at further ranks. All are 0 if there are no latencies.
func (d latencyDistribution) latenciesAt(ranks ...int) (LatencySummary, []time.Duration) {
	s := LatencySummary{N: d.N, Min: time.Duration(d.Min), Max: time.Duration(d.Max), Mean: time.Duration(d.Mean)}
	more := make([]time.Duration, len(ranks))
	if d.N == 0 {
		for _, p := range logPercentiles {
			s.Percentiles = append(s.Percentiles, Percentile{P: p})
		}
		return s, more
	}
	var all []int
	for _, p := range logPercentiles {
		all = append(all, percentileRank(d.N, p))
	}
	found := orderstat.Select(d.values, d.Moments, append(all, ranks...))
	for i, p := range logPercentiles {
		s.Percentiles = append(s.Percentiles, Percentile{P: p, Latency: time.Duration(found[i])})
	}
	for i, v := range found[len(logPercentiles):] {
		more[i] = time.Duration(v)
	}
	return s, more
}
