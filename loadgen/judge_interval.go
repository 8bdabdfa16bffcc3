package loadgen

import (
	"math"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// Intervals is the outcome of a MultiStream run at a fixed arrival interval.
type Intervals struct {
	Interval time.Duration // time between arrivals and also the latency limit of a query
	Skipped  uint64        // intervals without a query, because the previous query was still in progress
	// Overtime is the number of the Counted queries that are over the limit. Allowed is its maximum. Each query that
	// caused skipped intervals counts once, and Counted is the number of issued queries. With MultiStreamCountDropped,
	// each skipped interval counts as a dropped query, and Counted is the number of issued and dropped queries. The last
	// query is over the limit if it took longer than an interval.
	Overtime, Counted, Allowed uint64
}

// judgeIntervals sets the results that depend on the arrival interval. The metric is the number of samples per query.
func judgeIntervals(p *testSeries, r *Result) {
	v := countIntervals(p, r.Effective.ArrivalInterval, r.Requested.MultiStreamCountDropped)
	v.Allowed = allowedOver(v.Counted, r.TargetPercentile.P)
	r.Intervals = &v
	r.OverlatencyCount = v.Overtime
	r.PerformanceConstraintsMet = v.Overtime <= v.Allowed
	r.MetricName, r.MetricUnit, r.Metric = "samples per query", "samples", float64(r.Effective.SamplesPerQuery)
}

// allowedOver returns how many of n queries may be above a limit for a percentile.
func allowedOver(n uint64, percentile float64) uint64 {
	const rounding = 1e-6 // 1-0.9 is slightly less than a tenth
	return uint64(math.Floor((1-percentile)*float64(n) + rounding))
}

// countIntervals counts the queries over the limit. Each gap between two scheduled times is a whole number of
// intervals.
func countIntervals(p *testSeries, interval time.Duration, dropped bool) Intervals {
	v := Intervals{Interval: interval, Counted: uint64(p.Queries)}
	for q := 1; q < p.Queries; q++ {
		skipped := skippedBetween(p.Scheduled[q-1], p.Scheduled[q], interval)
		v.Skipped += skipped
		if skipped > 0 {
			v.Overtime++
		}
	}
	if dropped {
		v.Overtime = v.Skipped
		v.Counted += v.Skipped
	}
	if p.lastQueryOver(interval) {
		v.Overtime++
	}
	return v
}

// lastQueryOver reports whether the last query took longer than limit or was never answered.
func (p *testSeries) lastQueryOver(limit time.Duration) bool {
	if p.Queries == 0 {
		return false
	}
	q := p.Queries - 1
	done, ok := latestOf(p.Done[q*int(p.SamplesPerQuery):])
	return !ok || done-p.Scheduled[q] > int64(limit)
}

// intervalFields returns the lines of the summary log.
func intervalFields(v *Intervals) []mllog.Field {
	count := func(label string, n uint64) mllog.Field {
		return mllog.Field{Label: label, Value: strconv.FormatUint(n, 10)}
	}
	return []mllog.Field{
		count("Arrival interval (ns)", uint64(v.Interval)), count("Skipped intervals", v.Skipped),
		count("Overtime queries", v.Overtime), count("Allowed overtime queries", v.Allowed),
	}
}

// logIntervals logs the counts.
func (g *runLog) logIntervals(v *Intervals) {
	g.logValue("result_skipped_interval_count", v.Skipped)
	g.logValue("result_overtime_query_count", v.Overtime)
	g.logValue("result_allowed_overtime_query_count", v.Allowed)
}
