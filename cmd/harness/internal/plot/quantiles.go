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

// Point is a known percentile: the fraction P of the values is NS or less.
type Point struct {
	P  float64
	NS int64
}

// Quantiles contains the minimum and maximum of Count values in nanoseconds, and some percentiles. Count is 0 if it is
// unknown.
type Quantiles struct {
	Count    uint64
	Min, Max int64
	Known    []Point
}

// placedPoints returns the points of a curve in ascending order. The curve begins with the lowest value at 0. If Count
// is known, it ends with the highest value at its percentile. It omits percentiles for which there are too few values.
func (q Quantiles) placedPoints() []Point {
	end := 1 - 1/float64(max(2, q.Count))
	all := []Point{{P: 0, NS: q.Min}}
	for _, p := range slices.SortedFunc(slices.Values(q.Known), func(a, b Point) int { return cmp.Compare(a.P, b.P) }) {
		if known := q.Count == 0 && p.P < 1; 0 < p.P && (known || enoughFor(q.Count, p.P) && p.P <= end) {
			all = append(all, p)
		}
	}
	if q.Count == 0 && len(all) > 1 { // the percentile of the highest value is unknown
		return all
	}
	return append(all, Point{P: end, NS: q.Max})
}

// enoughFor reports whether count values are enough for percentile p.
func enoughFor(count uint64, p float64) bool { return metrics.EnoughValues(int(min(count, 1<<53)), p) }

// Percentile formats percentile p of count values, or a note that there are too few values.
func Percentile(count uint64, p float64, ns int64) string {
	if !enoughFor(count, p) {
		return metrics.TooFew
	}
	return Duration(ns)
}

// statedPercentile formats a percentile of a histogram, or a note that there are too few values.
func statedPercentile(h *series.Histogram, p float64) string {
	return Percentile(h.Count, p, h.Quantile(p))
}

// medianOf returns the value at the lowest percentile of at least one half.
func medianOf(points []Point) int64 {
	for _, p := range points {
		if p.P >= .5 {
			return p.NS
		}
	}
	return points[len(points)-1].NS
}

// Percentiles returns a chart of latencies with only some known percentiles.
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
