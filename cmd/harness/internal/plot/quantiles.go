package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Point is a known percentile: the fraction P of the values is at most NS.
type Point struct {
	P  float64
	NS int64
}

// Quantiles contains the minimum and maximum of Count values, in nanoseconds, and some percentiles. Count is 0 if it is
// unknown.
type Quantiles struct {
	Count    uint64
	Min, Max int64
	Known    []Point
}

// placedPoints are the points of a curve, ascending. It begins with the lowest value at 0 and ends with the highest, at
// the percentile beyond which no value lies. Percentiles that the values are too few for are the highest value again,
// or lie behind it: they have no place.
func (q Quantiles) placedPoints() []Point {
	end := 1 - 1/float64(max(2, q.Count))
	all := []Point{{P: 0, NS: q.Min}}
	for _, p := range slices.SortedFunc(slices.Values(q.Known), func(a, b Point) int { return cmp.Compare(a.P, b.P) }) {
		if known := q.Count == 0 && p.P < 1; 0 < p.P && (known || enoughFor(q.Count, p.P) && p.P <= end) {
			all = append(all, p)
		}
	}
	if q.Count == 0 && len(all) > 1 { // the percentile that the highest value is at is not known
		return all
	}
	return append(all, Point{P: end, NS: q.Max})
}

// enoughFor says whether so many values are enough for a percentile.
func enoughFor(count uint64, p float64) bool { return metrics.EnoughValues(int(min(count, 1<<53)), p) }

// Percentile writes one of so many values, or the word that they are too few for it.
func Percentile(count uint64, p float64, ns int64) string {
	if !enoughFor(count, p) {
		return metrics.TooFew
	}
	return Duration(ns)
}

// statedPercentile is a percentile of a histogram, or the word that there are too few values for it.
func statedPercentile(h *series.Histogram, p float64) string {
	return Percentile(h.Count, p, h.Quantile(p))
}

// medianOf is the least of the placed percentiles that is not below half.
func medianOf(points []Point) int64 {
	for _, p := range points {
		if p.P >= .5 {
			return p.NS
		}
	}
	return points[len(points)-1].NS
}

// Percentiles is the chart of latencies of which only some percentiles are known.
func Percentiles(known Quantiles, facts Facts) Chart {
	points := known.placedPoints()
	last := points[len(points)-1]
	c := Chart{
		ID: "latency-distribution", Title: "Percentiles of latency",
		X: Axis{Label: "percentile", Scale: Tail, Max: percentilePosition(last.P)},
		Y: Axis{Label: metric.Latency.Title, Of: Latency, Max: float64(last.NS)},
	}
	var l Line
	said := []string{"lowest " + Duration(known.Min)}
	for i, p := range points {
		l.X, l.Y = append(l.X, percentilePosition(p.P)), append(l.Y, float64(p.NS))
		if i > 0 && i < len(points)-1 {
			said = append(said, fmt.Sprintf("%s %s", percentileText(p.P), Duration(p.NS)))
		}
	}
	c.Lines, c.Dots = []Line{l}, &Dots{X: l.X, Y: l.Y}
	c.Alt = "The logs have these alone: " + strings.Join(append(said, "highest "+Duration(known.Max)), ", ") + "."
	if facts.Limit > 0 && isDrawable(facts.Limit, last.NS) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(facts.Limit), At: float64(facts.Limit), Limit: true})
	}
	if p := facts.Percentile; p > 0 && percentilePosition(p) < c.X.Max {
		c.Marks = append(c.Marks, Mark{At: percentilePosition(p), Vertical: true})
	}
	return c
}
