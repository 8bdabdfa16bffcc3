package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/record/series"
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

// mostShown is how many single values a chart has at most.
const mostShown = 600

// overTime is a measure over time: single values, and percentiles of all in steps.
func (m measured) overTime(id string, of metric.Times, limit int64) (Chart, bool) {
	l, h := m.Line(of), m.Histogram(of)
	if l == nil || h == nil || len(l.T) == 0 {
		return Chart{}, false
	}
	points := series.Thin(len(l.T), mostShown, func(i int) (float64, float64) { return float64(l.T[i]), float64(l.V[i]) })
	d := &Dots{Name: "single values"}
	for _, i := range points {
		d.X, d.Y = append(d.X, float64(l.T[i])), append(d.Y, float64(l.V[i]))
	}
	if l.Of > len(points) {
		d.Name = fmt.Sprintf("%s of %s values", grouped(uint64(len(points))), grouped(uint64(l.Of)))
	}
	c := Chart{
		ID: id, Title: capital(of.Title) + " over time", Alt: m.words(of, h, limit), Dots: d,
		X: Axis{Label: "due after the start", Of: Elapsed, Exact: true},
		Y: Axis{Label: of.Title, Of: Latency, Max: float64(h.Max)},
	}
	if b := m.Band(of); b != nil {
		c.band(b)
	}
	if low := h.Quantile(.001); low > 0 && h.Max/low >= 100 && h.Max > 20*h.Quantile(.5) {
		c.logarithmic(&c.Y, h)
	}
	m.mark(&c, h, limit)
	return c, true
}

// band adds the band of a measure, and its values under the pointer.
func (c *Chart) band(b *series.Band) {
	out := &Band{Name: "p50 to p99 of each " + Duration(b.Step)}
	for k, n := range b.Count {
		from, to := float64(int64(k)*b.Step), float64(int64(k+1)*b.Step)
		low, high := float64(b.P50[k]), float64(b.P99[k])
		if n == 0 {
			low, high = math.NaN(), math.NaN()
		} else {
			c.Hover = append(c.Hover, Hover{from, to, fmt.Sprintf("%s to %s: p50 %s, p99 %s, %s values",
				Duration(int64(from)), Duration(int64(to)), Percentile(uint64(n), .5, b.P50[k]),
				Percentile(uint64(n), .99, b.P99[k]), grouped(uint64(n)))})
		}
		out.X, out.Low, out.High = append(out.X, from), append(out.Low, low), append(out.High, high)
	}
	out.X = append(out.X, float64(int64(len(b.Count))*b.Step))
	c.Band = out
}

// logarithmic makes an axis begin where all but one in a thousand of the values do.
func (c *Chart) logarithmic(a *Axis, h *series.Histogram) {
	low := h.Quantile(.001)
	a.Scale, a.Min, a.Max = Log, float64(low), float64(h.Max)
	if h.Min < low-low/20 {
		c.Notes = append(c.Notes, "Not shown: the lowest 0.1 % of the values, down to "+Duration(h.Min)+".")
	}
}

// capital begins a title.
func capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// mark marks the target percentile and the limit, as far as that is near what was measured: else it would flatten it.
func (m measured) mark(c *Chart, h *series.Histogram, limit int64) {
	if p := m.facts.Percentile; p > 0 && h.Name != metric.IssueDelay.Key && enough(h.Count, p) {
		c.Marks = append(c.Marks, Mark{Name: percentile(p) + " " + stated(h, p), At: float64(h.Quantile(p))})
	}
	if limit > 0 && near(limit, h.Max) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit), Limit: true})
	}
}

// near says whether a limit can be drawn with values up to a highest one.
func near(limit, most int64) bool { return limit/3 <= most }

// words describe a measure.
func (m measured) words(of metric.Times, h *series.Histogram, limit int64) string {
	text := fmt.Sprintf("%s values of %s: lowest %s, median %s, ", grouped(h.Count), of.Title, Duration(h.Min),
		Duration(h.Quantile(.5)))
	if p := m.facts.Percentile; p > 0 && p != .5 {
		text += percentile(p) + " " + stated(h, p) + ", "
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

// distribution is a measure by percentile.
func (m measured) distribution(id string, of metric.Times, limit int64) (Chart, bool) {
	h := m.Histogram(of)
	if h == nil || h.Count < 2 {
		return Chart{}, false
	}
	c := Chart{
		ID: id, Title: "Percentiles of " + of.Title, Alt: m.words(of, h, limit), Lines: []Line{curve(h)},
		X: Axis{Label: "percentile", Scale: Tail, Max: ending(h)},
		Y: Axis{Label: of.Title, Of: Latency, Max: float64(h.Max)},
	}
	if h.Quantile(.001) > 0 && h.Max > 20*h.Quantile(.5) {
		c.logarithmic(&c.Y, h)
	}
	const strips = 30
	for k := range strips {
		from, to := c.X.Max*float64(k)/strips, c.X.Max*float64(k+1)/strips
		p := 1 - math.Pow(10, -(from+to)/2)
		c.Hover = append(c.Hover, Hover{from, to, "p" + strconv.FormatFloat(100*p, 'g', 4, 64) + ": " +
			Duration(h.Quantile(p))})
	}
	m.mark(&c, h, limit)
	if p := m.facts.Percentile; p > 0 && tail(p) < c.X.Max {
		c.Marks = append(c.Marks, Mark{At: tail(p), Vertical: true})
	}
	return c, true
}

// ending is where an axis of percentiles ends: at the highest value.
func ending(h *series.Histogram) float64 { return tail(1 - 1/float64(h.Count)) }

// curve goes through the highest value of each bucket at its percentile.
func curve(h *series.Histogram) Line {
	x, y := []float64{0}, []float64{float64(h.Min)}
	var seen uint64
	for _, b := range h.Buckets {
		seen += b.Count
		p := min(float64(seen)/float64(h.Count), 1-1/float64(h.Count))
		v := min(max(series.Low(b.Index, h.Bits), h.Min), h.Max)
		x, y = append(x, tail(p)), append(y, float64(v))
	}
	y[len(y)-1] = float64(h.Max)
	points := series.Thin(len(x), 400, func(i int) (float64, float64) { return x[i], y[i] })
	return Line{X: pick(x, points), Y: pick(y, points)}
}

// bins is how many surfaces a distribution has.
const bins = 60

// binned is a division of values into bins of equal width on a scale, edges[k] to edges[k+1].
type binned struct {
	log   bool
	edges []float64
}

// binsOf divides the values from low to high, at least one apart.
func binsOf(low, high float64) binned {
	b := binned{log: low > 0 && high/low >= 20}
	scale, back := b.scale()
	from, to := scale(low), scale(high)
	for k := range bins + 1 {
		b.edges = append(b.edges, back(from+(to-from)*float64(k)/bins))
	}
	return b
}

func (b binned) scale() (to, back func(float64) float64) {
	if b.log {
		return math.Log, math.Exp
	}
	same := func(v float64) float64 { return v }
	return same, same
}

// share is how many percent of the values are in each bin.
func (b binned) share(h *series.Histogram) []float64 {
	scale, _ := b.scale()
	from, to := scale(b.edges[0]), scale(b.edges[bins])
	n := make([]float64, bins+1)
	for _, bucket := range h.Buckets {
		v := float64(series.Low(bucket.Index, h.Bits))
		if k := (scale(max(v, 1)) - from) / (to - from) * bins; k >= 0 && k < bins {
			n[int(k)] += float64(bucket.Count) / float64(h.Count) * 100
		}
	}
	return n
}

// counts is how often a measure has which values, but for the one in a thousand at either end.
func (m measured) counts(id string, of metric.Times, limit int64) (Chart, bool) {
	h := m.Histogram(of)
	if h == nil || h.Count < 2 || h.Min == h.Max {
		return Chart{}, false
	}
	low, high := h.Quantile(.001), h.Quantile(.999)+1
	b := binsOf(float64(low), float64(high))
	n := b.share(h)
	c := Chart{
		ID: id, Title: "Distribution of " + of.Title, Alt: m.words(of, h, limit),
		Lines: []Line{{Step: true, Fill: true, X: b.edges, Y: n}},
		X:     b.axis(of), Y: Axis{Label: "share of all, %", Max: slices.Max(n)},
	}
	for k := range bins {
		if n[k] > 0 {
			c.Hover = append(c.Hover, Hover{b.edges[k], b.edges[k+1], fmt.Sprintf("%s to %s: %s %%",
				Duration(int64(b.edges[k])), Duration(int64(b.edges[k+1])), figure(n[k]))})
		}
	}
	if h.Min < low || h.Max >= high {
		c.Notes = append(c.Notes, fmt.Sprintf("Not shown: 0.1 %% at either end, from %s and up to %s.", Duration(h.Min),
			Duration(h.Max)))
	}
	m.markValues(&c, h, limit, float64(high))
	return c, true
}

// axis is that of the values.
func (b binned) axis(of metric.Times) Axis {
	a := Axis{Label: of.Title, Of: Latency, Exact: true}
	if b.log {
		a.Scale, a.Min, a.Max = Log, b.edges[0], b.edges[bins]
	}
	return a
}

// markValues marks percentile and limit on the axis of values, which ends at most.
func (m measured) markValues(c *Chart, h *series.Histogram, limit int64, most float64) {
	if p := m.facts.Percentile; p > 0 && h.Name != metric.IssueDelay.Key && enough(h.Count, p) {
		if v := float64(h.Quantile(p)); v <= most {
			c.Marks = append(c.Marks, Mark{Name: percentile(p) + " " + stated(h, p), At: v, Vertical: true})
		}
	}
	if limit > 0 && float64(limit) <= 1.5*most {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(limit), At: float64(limit), Vertical: true, Limit: true})
	}
}

// pick are the values at some places.
func pick(all []float64, at []int) []float64 {
	return lists.Map(at, func(k int) float64 { return all[k] })
}
