package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/bench/record/series"
)

// Facts are what charts mark, as the settings of a run say. Durations are in nanoseconds; 0 is none.
type Facts struct {
	Percentile       float64 // the target percentile, a fraction
	Limit            int64   // of latencies at it
	TTFTLimit        int64
	TPOTLimit        int64
	TargetSamplesPer float64 // the samples per second that the schedule has
}

// Charts are those of a run, in the order in which they are shown. A chart of which nothing was measured is not among
// them.
func Charts(f *series.File, facts Facts) []Chart {
	var all []Chart
	add := func(c Chart, ok bool) {
		if ok {
			all = append(all, c)
		}
	}
	latency := metric.Latency
	limit := facts.Limit
	if f.Line(metric.TTFT) != nil { // the limit is that of tokens
		limit = 0
	} else if f.Histogram(metric.QueryLatency) != nil {
		latency = metric.QueryLatency
	}
	m := measured{f, facts}
	add(m.overTime("latency", latency, limit))
	add(m.distribution("latency-distribution", latency, limit))
	add(m.counts("latency-histogram", latency, limit))
	add(m.throughput())
	add(m.outstanding())
	add(m.overTime("issue-delay", metric.IssueDelay, 0))
	add(m.overTime("ttft", metric.TTFT, facts.TTFTLimit))
	add(m.distribution("ttft-distribution", metric.TTFT, facts.TTFTLimit))
	add(m.overTime("tpot", metric.TPOT, facts.TPOTLimit))
	add(m.distribution("tpot-distribution", metric.TPOT, facts.TPOTLimit))
	add(m.tokens())
	return all
}

// measured is what charts are made of.
type measured struct {
	*series.File
	facts Facts
}

// mostShown is how many points a line of a chart has at most.
const mostShown = 1000

// overTime is a measure over time.
func (m measured) overTime(id string, of metric.Times, limit int64) (Chart, bool) {
	l, h := m.Line(of), m.Histogram(of)
	if l == nil || h == nil || len(l.T) == 0 {
		return Chart{}, false
	}
	t, u := elapsedUnit(m.Duration), unitOf(h.Max)
	x, y := t.in(l.T), u.in(l.V)
	points := series.Thin(len(x), mostShown, func(i int) (float64, float64) { return x[i], y[i] })
	c := Chart{
		ID: id, Title: capital(of.Title) + " over time", Alt: m.words(of, h, limit),
		X: Axis{Label: "due at, " + t.name, Exact: true},
		Y: Axis{Label: u.name}, Lines: []Line{{X: pick(x, points), Y: pick(y, points)}},
	}
	if low := float64(h.Min) / u.ns; h.Min > 0 && h.Max/h.Min >= 100 && h.Max > 20*h.Quantile(.5) {
		c.Y.Log, c.Y.Min, c.Y.Max = true, low, float64(h.Max)/u.ns
	} else {
		c.Y.Max = float64(h.Max) / u.ns
	}
	m.mark(&c, h, limit, u)
	return c, true
}

// capital begins a title.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// mark marks the target percentile and the limit, as far as that is near what was measured: else it would flatten it.
func (m measured) mark(c *Chart, h *series.Histogram, limit int64, u unit) {
	if p := m.facts.Percentile; p > 0 && h.Name != metric.IssueDelay.Key {
		v := h.Quantile(p)
		c.Marks = append(c.Marks, Mark{Name: percentile(p) + " " + Duration(v), At: float64(v) / u.ns})
	}
	if limit > 0 && near(limit, h.Max) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit) / u.ns, Limit: true})
	}
}

// near says whether a limit can be drawn with values up to a highest one.
func near(limit, most int64) bool { return limit/3 <= most }

// words describe a measure.
func (m measured) words(of metric.Times, h *series.Histogram, limit int64) string {
	text := fmt.Sprintf("%s values of %s: lowest %s, median %s, ", grouped(h.Count), of.Title, Duration(h.Min),
		Duration(h.Quantile(.5)))
	if p := m.facts.Percentile; p > 0 && p != .5 {
		text += percentile(p) + " " + Duration(h.Quantile(p)) + ", "
	}
	text += "highest " + Duration(h.Max)
	if limit > 0 {
		text += "; limit " + Duration(limit)
		if !near(limit, h.Max) {
			text += ", far above the chart"
		}
	}
	return text + "."
}

func grouped(n uint64) string { return number(float64(n), 1) }

// nines are the percentiles that an axis names.
var nines = []Tick{{0, "0"}, {.5, "50 %"}, {.9, "90 %"}, {.99, "99 %"}, {.999, "99.9 %"}, {.9999, "99.99 %"},
	{.99999, "99.999 %"}, {.999999, "99.9999 %"}}

// tail is where a percentile is on an axis that gives each further nine the same room.
func tail(p float64) float64 { return -math.Log10(1 - p) }

// distribution is a measure by percentile.
func (m measured) distribution(id string, of metric.Times, limit int64) (Chart, bool) {
	h := m.Histogram(of)
	if h == nil || h.Count < 2 {
		return Chart{}, false
	}
	u := unitOf(h.Max)
	l := curve(h, u)
	end := tail(1 - 1/float64(h.Count))
	c := Chart{
		ID: id, Title: "Percentiles of " + of.Title, Alt: m.words(of, h, limit), Lines: []Line{l},
		X: Axis{Label: "percentile", Min: 0, Max: end, Ticks: []Tick{}}, Y: Axis{Label: u.name, Max: float64(h.Max) / u.ns},
	}
	for _, t := range nines {
		if at := tail(t.At); at <= end*1.0001 {
			c.X.Ticks = append(c.X.Ticks, Tick{at, t.Label})
		}
	}
	if h.Min > 0 && h.Max > 20*h.Quantile(.5) {
		c.Y.Log, c.Y.Min = true, float64(h.Min)/u.ns
	}
	m.mark(&c, h, limit, u)
	if p := m.facts.Percentile; p > 0 && tail(p) < end {
		c.Marks = append(c.Marks, Mark{At: tail(p), Vertical: true})
	}
	return c, true
}

// curve goes through the highest value of each bucket at its percentile.
func curve(h *series.Histogram, u unit) Line {
	x, y := []float64{0}, []float64{float64(h.Min) / u.ns}
	var seen uint64
	for _, b := range h.Buckets {
		seen += b.Count
		p := min(float64(seen)/float64(h.Count), 1-1/float64(h.Count))
		v := min(max(series.Low(b.Index, h.Bits), h.Min), h.Max)
		x, y = append(x, tail(p)), append(y, float64(v)/u.ns)
	}
	y[len(y)-1] = float64(h.Max) / u.ns
	points := series.Thin(len(x), 400, func(i int) (float64, float64) { return x[i], y[i] })
	return Line{X: pick(x, points), Y: pick(y, points)}
}

// bins is how many surfaces a distribution has.
const bins = 60

// counts is how often a measure has which values, but for the one in a thousand at either end.
func (m measured) counts(id string, of metric.Times, limit int64) (Chart, bool) {
	h := m.Histogram(of)
	if h == nil || h.Count < 2 || h.Min == h.Max {
		return Chart{}, false
	}
	low, high := h.Quantile(.001), h.Quantile(.999)+1
	u := unitOf(high)
	scale := func(v float64) float64 { return v }
	back := scale
	log := low > 0 && high/low >= 20
	if log {
		scale, back = math.Log, math.Exp
	}
	from, to := scale(float64(low)), scale(float64(high))
	n := make([]float64, bins+1)
	for _, b := range h.Buckets {
		v := float64(series.Low(b.Index, h.Bits))
		if k := (scale(max(v, 1)) - from) / (to - from) * bins; k >= 0 && k < bins {
			n[int(k)] += float64(b.Count) / float64(h.Count) * 100
		}
	}
	l := Line{Step: true, Fill: true, Y: n}
	for k := range n {
		l.X = append(l.X, back(from+(to-from)*float64(k)/bins)/u.ns)
	}
	c := Chart{
		ID: id, Title: "Distribution of " + of.Title, Alt: m.words(of, h, limit), Lines: []Line{l},
		X: Axis{Label: of.Title + ", " + u.name, Log: log}, Y: Axis{Label: "% of all", Max: slices.Max(n)},
	}
	m.markValues(&c, h, limit, u)
	return c, true
}

// markValues marks percentile and limit on the axis of values.
func (m measured) markValues(c *Chart, h *series.Histogram, limit int64, u unit) {
	if p := m.facts.Percentile; p > 0 {
		v := h.Quantile(p)
		c.Marks = append(c.Marks, Mark{Name: percentile(p), At: float64(v) / u.ns, Vertical: true})
	}
	if limit > 0 && near(limit, h.Quantile(.999)) {
		c.Marks = append(c.Marks, Mark{Name: "limit", At: float64(limit) / u.ns, Vertical: true, Limit: true})
	}
}

func pick(values []float64, numbers []int) []float64 {
	out := make([]float64, len(numbers))
	for i, n := range numbers {
		out[i] = values[n]
	}
	return out
}

// Point is a known percentile: the fraction P of the values is at most NS.
type Point struct {
	P  float64
	NS int64
}

// Percentiles is the chart of latencies of which only some percentiles are known, ascending, the first of them 0.
func Percentiles(points []Point, facts Facts) Chart {
	last := points[len(points)-1]
	u := unitOf(last.NS)
	c := Chart{
		ID: "latency-distribution", Title: "Percentiles of latency",
		X: Axis{Label: "percentile", Max: tail(last.P), Ticks: []Tick{}},
		Y: Axis{Label: u.name, Max: float64(last.NS) / u.ns},
	}
	var l Line
	words := make([]string, 0, len(points))
	for _, p := range points {
		l.X, l.Y = append(l.X, tail(p.P)), append(l.Y, float64(p.NS)/u.ns)
		words = append(words, fmt.Sprintf("%s %s", percentile(p.P), Duration(p.NS)))
	}
	c.Lines, c.Alt = []Line{l}, "The logs have these alone: "+strings.Join(words[1:len(words)-1], ", ")+"."
	for _, t := range nines {
		if at := tail(t.At); at <= c.X.Max {
			c.X.Ticks = append(c.X.Ticks, Tick{at, t.Label})
		}
	}
	if facts.Limit > 0 && near(facts.Limit, last.NS) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(facts.Limit), At: float64(facts.Limit) / u.ns, Limit: true})
	}
	if p := facts.Percentile; p > 0 && tail(p) < c.X.Max {
		c.Marks = append(c.Marks, Mark{At: tail(p), Vertical: true})
	}
	return c
}
