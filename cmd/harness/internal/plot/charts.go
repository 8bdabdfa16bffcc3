package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// Facts contains the values of a run's settings that charts mark. Durations are in nanoseconds; 0 means none.
type Facts struct {
	Percentile       float64 // the target percentile, a fraction
	Limit            int64   // limit of the latency at Percentile
	TTFTLimit        int64
	TPOTLimit        int64
	TargetSamplesPer float64 // scheduled samples per second
}

// Charts returns the charts of a run in display order. It omits charts without measurements.
func Charts(f *series.File, facts Facts) []Chart {
	var all []Chart
	add := func(c Chart, ok bool) {
		if ok {
			all = append(all, c)
		}
	}
	latency := metric.Latency
	limit := facts.Limit
	if f.Line(metric.TTFT) != nil { // the limit applies to TTFT and TPOT
		limit = 0
	} else if f.Histogram(metric.QueryLatency) != nil {
		latency = metric.QueryLatency
	}
	m := chartData{f, facts}
	add(m.overTime("latency", latency, limit))
	add(m.distributionChart("latency-distribution", latency, limit))
	add(m.countsChart("latency-histogram", latency, limit))
	add(m.throughputChart())
	add(m.outstandingChart())
	add(m.overTime("issue-delay", metric.IssueDelay, 0))
	add(m.overTime("ttft", metric.TTFT, facts.TTFTLimit))
	add(m.distributionChart("ttft-distribution", metric.TTFT, facts.TTFTLimit))
	add(m.overTime("tpot", metric.TPOT, facts.TPOTLimit))
	add(m.distributionChart("tpot-distribution", metric.TPOT, facts.TPOTLimit))
	add(m.tokensChart())
	return all
}

// chartData is the input of charts.
type chartData struct {
	*series.File
	facts Facts
}

// maxShown limits the single values in a chart.
const maxShown = 600

// overTime returns a chart of a measure over time, with single values and stepwise percentiles.
func (m chartData) overTime(id string, of metric.Times, limit int64) (Chart, bool) {
	l, h := m.Line(of), m.Histogram(of)
	if l == nil || h == nil || len(l.T) == 0 {
		return Chart{}, false
	}
	points := series.SelectPoints(len(l.T), maxShown, func(i int) (float64, float64) {
		return float64(l.T[i]),
			float64(l.V[i])
	})
	d := &Dots{Name: "single values"}
	for _, i := range points {
		d.X, d.Y = append(d.X, float64(l.T[i])), append(d.Y, float64(l.V[i]))
	}
	if l.Of > len(points) {
		d.Name = fmt.Sprintf("%s of %s values", groupDigits(uint64(len(points))), groupDigits(uint64(l.Of)))
	}
	c := Chart{
		ID: id, Title: capitalize(of.Title) + " over time", Alt: m.describeMeasure(of, h, limit), Dots: d,
		X: Axis{Label: "due after the start", Of: Elapsed, Exact: true},
		Y: Axis{Label: of.Title, Of: Latency, Max: float64(h.Max)},
	}
	if b := m.Band(of); b != nil {
		c.addBand(b)
	}
	if low := h.Quantile(.001); low > 0 && h.Max/low >= 100 && h.Max > 20*h.Quantile(.5) {
		c.setLogarithmic(&c.Y, h)
	}
	m.markPercentile(&c, h, limit)
	return c, true
}

// addBand adds the band of a measure, and its values as hover texts.
func (c *Chart) addBand(b *series.Band) {
	out := &Band{Name: "p50 to p99 of each " + Duration(b.Step)}
	for k, n := range b.Count {
		from, to := float64(int64(k)*b.Step), float64(int64(k+1)*b.Step)
		low, high := float64(b.P50[k]), float64(b.P99[k])
		if n == 0 {
			low, high = math.NaN(), math.NaN()
		} else {
			c.Hover = append(c.Hover, Hover{from, to, fmt.Sprintf("%s to %s: p50 %s, p99 %s, %s values",
				Duration(int64(from)), Duration(int64(to)), Percentile(uint64(n), .5, b.P50[k]),
				Percentile(uint64(n), .99, b.P99[k]), groupDigits(uint64(n)))})
		}
		out.X, out.Low, out.High = append(out.X, from), append(out.Low, low), append(out.High, high)
	}
	out.X = append(out.X, float64(int64(len(b.Count))*b.Step))
	c.Band = out
}

// setLogarithmic sets a logarithmic axis that begins at the 0.1th percentile.
func (c *Chart) setLogarithmic(a *Axis, h *series.Histogram) {
	low := h.Quantile(.001)
	a.Scale, a.Min, a.Max = Log, float64(low), float64(h.Max)
	if h.Min < low-low/20 {
		c.Notes = append(c.Notes, "Not shown: the lowest 0.1 % of the values, down to "+Duration(h.Min)+".")
	}
}

// capitalize returns words with an upper-case first letter.
func capitalize(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// markPercentile marks the target percentile and the limit. It omits a limit far above the values, because it would
// flatten the curve.
func (m chartData) markPercentile(c *Chart, h *series.Histogram, limit int64) {
	if p := m.facts.Percentile; p > 0 && h.Name != metric.IssueDelay.Key && enoughFor(h.Count, p) {
		c.Marks = append(c.Marks, Mark{Name: percentileText(p) + " " + statedPercentile(h, p), At: float64(h.Quantile(p))})
	}
	if limit > 0 && isDrawable(limit, h.Max) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit), Limit: true})
	}
}

// isDrawable reports whether a limit can be drawn in the same chart as values up to maxValue.
func isDrawable(limit, maxValue int64) bool { return limit/3 <= maxValue }

// describeMeasure describes a measure in words.
func (m chartData) describeMeasure(times metric.Times, h *series.Histogram, limit int64) string {
	text := fmt.Sprintf("%s values of %s: lowest %s, median %s, ", groupDigits(h.Count), times.Title, Duration(h.Min),
		Duration(h.Quantile(.5)))
	if p := m.facts.Percentile; p > 0 && p != .5 {
		text += percentileText(p) + " " + statedPercentile(h, p) + ", "
	}
	text += "highest " + Duration(h.Max)
	if limit > 0 {
		text += "; limit " + Duration(limit)
		if !isDrawable(limit, h.Max) {
			text += ", far above the chart"
		}
	}
	return text + "."
}

func groupDigits(n uint64) string { return formatStep(float64(n), 1) }

// distributionChart returns a chart of a measure by percentile.
func (m chartData) distributionChart(id string, times metric.Times, limit int64) (Chart, bool) {
	h := m.Histogram(times)
	if h == nil || h.Count < 2 {
		return Chart{}, false
	}
	c := Chart{
		ID: id, Title: "Percentiles of " + times.Title, Alt: m.describeMeasure(times, h, limit),
		Lines: []Line{percentileCurve(h)},
		X:     Axis{Label: "percentile", Scale: Tail, Max: percentileEnd(h)},
		Y:     Axis{Label: times.Title, Of: Latency, Max: float64(h.Max)},
	}
	if h.Quantile(.001) > 0 && h.Max > 20*h.Quantile(.5) {
		c.setLogarithmic(&c.Y, h)
	}
	const strips = 30
	for k := range strips {
		from, to := c.X.Max*float64(k)/strips, c.X.Max*float64(k+1)/strips
		p := 1 - math.Pow(10, -(from+to)/2)
		c.Hover = append(c.Hover, Hover{from, to, "p" + strconv.FormatFloat(100*p, 'g', 4, 64) + ": " +
			Duration(h.Quantile(p))})
	}
	m.markPercentile(&c, h, limit)
	if p := m.facts.Percentile; p > 0 && percentilePosition(p) < c.X.Max {
		c.Marks = append(c.Marks, Mark{At: percentilePosition(p), Vertical: true})
	}
	return c, true
}

// percentileEnd returns the end of an axis of percentiles, the position of the highest value.
func percentileEnd(h *series.Histogram) float64 { return percentilePosition(1 - 1/float64(h.Count)) }

// percentileCurve returns a line through the highest value of each bucket at its percentile.
func percentileCurve(h *series.Histogram) Line {
	x, y := []float64{0}, []float64{float64(h.Min)}
	var seen uint64
	for _, b := range h.Buckets {
		seen += b.Count
		p := min(float64(seen)/float64(h.Count), 1-1/float64(h.Count))
		v := min(max(series.LowestValue(b.Index, h.Bits), h.Min), h.Max)
		x, y = append(x, percentilePosition(p)), append(y, float64(v))
	}
	y[len(y)-1] = float64(h.Max)
	points := series.SelectPoints(len(x), 400, func(i int) (float64, float64) { return x[i], y[i] })
	return Line{X: selectValues(x, points), Y: selectValues(y, points)}
}

// bins is the number of bars in a distribution.
const bins = 60

// valueBins is a division of values into bins from edges[k] to edges[k+1], of equal width on a linear or logarithmic
// scale.
type valueBins struct {
	log   bool
	edges []float64
}

// binsOf returns bins for the values from low to high, which differ by at least one.
func binsOf(low, high float64) valueBins {
	b := valueBins{log: low > 0 && high/low >= 20}
	scale, back := b.scaleFuncs()
	from, to := scale(low), scale(high)
	for k := range bins + 1 {
		b.edges = append(b.edges, back(from+(to-from)*float64(k)/bins))
	}
	return b
}

func (b valueBins) scaleFuncs() (to, back func(float64) float64) {
	if b.log {
		return math.Log, math.Exp
	}
	same := func(v float64) float64 { return v }
	return same, same
}

// binShares returns the percentage of the values in each bin.
func (b valueBins) binShares(h *series.Histogram) []float64 {
	scale, _ := b.scaleFuncs()
	from, to := scale(b.edges[0]), scale(b.edges[bins])
	n := make([]float64, bins+1)
	for _, bucket := range h.Buckets {
		v := float64(series.LowestValue(bucket.Index, h.Bits))
		if k := (scale(max(v, 1)) - from) / (to - from) * bins; k >= 0 && k < bins {
			n[int(k)] += float64(bucket.Count) / float64(h.Count) * 100
		}
	}
	return n
}

// countsChart returns a histogram of a measure, without 0.1 % of the values at either end.
func (m chartData) countsChart(id string, times metric.Times, limit int64) (Chart, bool) {
	h := m.Histogram(times)
	if h == nil || h.Count < 2 || h.Min == h.Max {
		return Chart{}, false
	}
	low, high := h.Quantile(.001), h.Quantile(.999)+1
	b := binsOf(float64(low), float64(high))
	n := b.binShares(h)
	c := Chart{
		ID: id, Title: "Distribution of " + times.Title, Alt: m.describeMeasure(times, h, limit),
		Lines: []Line{{Step: true, Fill: true, X: b.edges, Y: n}},
		X:     b.valueAxis(times), Y: Axis{Label: "share of all, %", Max: slices.Max(n)},
	}
	for k := range bins {
		if n[k] > 0 {
			c.Hover = append(c.Hover, Hover{b.edges[k], b.edges[k+1], fmt.Sprintf("%s to %s: %s %%",
				Duration(int64(b.edges[k])), Duration(int64(b.edges[k+1])), formatFigure(n[k]))})
		}
	}
	if h.Min < low || h.Max >= high {
		c.Notes = append(c.Notes, fmt.Sprintf("Not shown: 0.1 %% at either end, from %s and up to %s.", Duration(h.Min),
			Duration(h.Max)))
	}
	m.markValues(&c, h, limit, float64(high))
	return c, true
}

// valueAxis returns the axis of the values.
func (b valueBins) valueAxis(times metric.Times) Axis {
	a := Axis{Label: times.Title, Of: Latency, Exact: true}
	if b.log {
		a.Scale, a.Min, a.Max = Log, b.edges[0], b.edges[bins]
	}
	return a
}

// markValues marks the percentile and the limit on the axis of values, which ends at maxValue.
func (m chartData) markValues(c *Chart, h *series.Histogram, limit int64, maxValue float64) {
	if p := m.facts.Percentile; p > 0 && h.Name != metric.IssueDelay.Key && enoughFor(h.Count, p) {
		if v := float64(h.Quantile(p)); v <= maxValue {
			c.Marks = append(c.Marks, Mark{Name: percentileText(p) + " " + statedPercentile(h, p), At: v, Vertical: true})
		}
	}
	if limit > 0 && float64(limit) <= 1.5*maxValue {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit), Vertical: true, Limit: true})
	}
}

// selectValues returns the values at the indices in at.
func selectValues(all []float64, at []int) []float64 {
	chosen := make([]float64, len(at))
	for i, k := range at {
		chosen[i] = all[k]
	}
	return chosen
}
