package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// Run is one of several runs in a chart.
type Run struct {
	Name  string
	File  *series.File
	Facts Facts
	// Invalid says that the run is INVALID.
	Invalid bool
}

// Overlays returns charts with one line per run: latencies and token times, by percentile and as a distribution. It
// omits charts with values of fewer than two runs. It shows up to eight runs.
func Overlays(runs []Run) []Chart {
	var all []Chart
	for _, of := range metric.Distributions() {
		if of == metric.IssueDelay || of == metric.Latency && atLeastTwoHave(runs, metric.QueryLatency, metric.TTFT) {
			continue
		}
		id := of.Key
		if of == metric.QueryLatency {
			id = metric.Latency.Key
		}
		o := runOverlay{of: of}
		for _, r := range runs {
			if h := r.File.Histogram(of); h != nil && h.Count > 1 {
				o.names, o.hists, o.invalid = append(o.names, r.Name), append(o.hists, h), append(o.invalid, r.Invalid)
				o.keepLimits(of, r.Facts)
			}
		}
		if len(o.hists) < 2 {
			continue
		}
		o.left = max(0, len(o.hists)-maxLines)
		o.hists = o.hists[:len(o.hists)-o.left]
		all = append(all, o.percentileChart(id+"-percentiles"))
		if c, ok := o.distributionChart(id + "-distributions"); ok {
			all = append(all, c)
		}
	}
	return all
}

// atLeastTwoHave reports whether at least two of the runs have one of the distributions, which are then more
// informative than sample latencies.
func atLeastTwoHave(runs []Run, of ...metric.Times) bool {
	n := 0
	for _, r := range runs {
		if slices.ContainsFunc(of, func(t metric.Times) bool { return r.File.Histogram(t) != nil }) {
			n++
		}
	}
	return n > 1
}

// runOverlay is a distribution of several runs.
type runOverlay struct {
	of     metric.Times
	names  []string
	hists  []*series.Histogram
	limits []int64
	left   int // number of runs not shown
	// invalid says which of the runs are INVALID.
	invalid []bool
}

// keepLimits stores the limit of a measure, if the run has one.
func (o *runOverlay) keepLimits(of metric.Times, f Facts) {
	v := f.Limit
	switch of {
	case metric.TTFT:
		v = f.TTFTLimit
	case metric.TPOT:
		v = f.TPOTLimit
	}
	if v > 0 && !slices.Contains(o.limits, v) {
		o.limits = append(o.limits, v)
	}
}

// valueEnds returns the ends of the values without the lowest 0.1 %, and the highest median.
func (o *runOverlay) valueEnds(top float64) (low, high, median int64) {
	low = math.MaxInt64
	for _, h := range o.hists {
		low, high, median = min(low, h.Quantile(.001)), max(high, h.Quantile(top)), max(median, h.Quantile(.5))
	}
	return low, high, median
}

// percentileWords describes the percentiles of each run.
func (o *runOverlay) percentileWords() string {
	said := make([]string, len(o.hists))
	for i, h := range o.hists {
		name := Line{Name: o.names[i], Invalid: o.invalid[i]}.keyName()
		said[i] = fmt.Sprintf("%s: median %s, 99th percentile %s", name, statedPercentile(h, .5), statedPercentile(h,
			.99))
	}
	return capitalize(o.of.Title) + " of " + groupDigits(uint64(len(o.hists))) + " runs. " + strings.Join(said, "; ") + "."
}

// emptyChart returns a chart without lines.
func (o *runOverlay) emptyChart(id, title string) Chart {
	c := Chart{ID: id, Title: title, Alt: o.percentileWords()}
	if o.left > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("The first %d of %d runs.", len(o.hists), len(o.hists)+o.left))
	}
	return c
}

// percentileChart returns the runs' curves by percentile.
func (o *runOverlay) percentileChart(id string) Chart {
	c := o.emptyChart(id, "Percentiles of "+o.of.Title)
	low, high, median := o.valueEnds(1)
	c.X = Axis{Label: "percentile", Scale: Tail}
	c.Y = Axis{Label: o.of.Title, Of: Latency, Max: float64(high)}
	if low > 0 && high > 20*median || low > 0 && high/low >= 100 {
		c.Y.Scale, c.Y.Min = Log, float64(low)
		c.Notes = append(c.Notes, "Not shown: the lowest 0.1 % of the values.")
	}
	for i, h := range o.hists {
		l := percentileCurve(h)
		l.Name, l.Invalid, c.X.Max = o.names[i], o.invalid[i], max(c.X.Max, percentileEnd(h))
		c.Lines = append(c.Lines, l)
	}
	for _, v := range o.limits {
		if isDrawable(v, high) {
			c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(v), At: float64(v), Limit: true})
		}
	}
	return c
}

// distributionChart returns the histograms of the runs.
func (o *runOverlay) distributionChart(id string) (Chart, bool) {
	low, high, _ := o.valueEnds(.999)
	if high <= low {
		return Chart{}, false
	}
	c := o.emptyChart(id, "Distribution of "+o.of.Title)
	b := binsOf(float64(low), float64(high+1))
	c.X, c.Y = b.valueAxis(o.of), Axis{Label: "share of all, %"}
	for i, h := range o.hists {
		n := b.binShares(h)
		c.Y.Max = max(c.Y.Max, slices.Max(n))
		c.Lines = append(c.Lines, Line{Name: o.names[i], X: b.edges, Y: n, Step: true, Invalid: o.invalid[i]})
	}
	c.Notes = append(c.Notes, "Not shown: 0.1 % of the values at either end.")
	return c, true
}

// maxRows limits the rows of an overview.
const maxRows = 24

// Overview returns a chart with one row per run. ok is false for fewer than two rows. X is the axis of values.
func Overview(id, title string, x Axis, rows []Row) (c Chart, ok bool) {
	if len(rows) < 2 {
		return Chart{}, false
	}
	c = Chart{ID: id, Title: title, X: x, Rows: rows[:min(len(rows), maxRows)]}
	var said []string
	for _, r := range c.Rows {
		said = append(said, r.Name+": "+r.valueText())
	}
	if n := len(rows) - len(c.Rows); n > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("The first %d of %d runs.", maxRows, len(rows)))
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Asked > 0 }) {
		c.Notes = append(c.Notes, "A rate asked for by the schedule (Server) is not the highest that the system reaches.")
	}
	c.Alt = strings.Join(said, "; ") + "."
	return c, true
}

// RangeRow returns the row of a distribution. Its bar extends from the median to the 99th percentile, and its line from
// the lowest to the highest value.
func RangeRow(name string, h *series.Histogram, facts Facts, limit int64) Row {
	r := Row{Name: name, From: float64(h.Quantile(.5)), To: float64(h.Quantile(.99)), Low: float64(h.Quantile(.001)),
		High: float64(h.Max), Limit: float64(limit)}
	r.Value = "p50 " + statedPercentile(h, .5) + ", p99 " + statedPercentile(h, .99)
	if p := facts.Percentile; p > 0 && enoughFor(h.Count, p) {
		r.At = float64(h.Quantile(p))
	}
	return r
}
