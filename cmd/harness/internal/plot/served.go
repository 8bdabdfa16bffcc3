package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/internal/record/series"
)

// maxLengths limits the single values in a chart of lengths.
const maxLengths = 300

// Served returns the charts of a server at one load. On a common time axis, they show token times, requests in flight,
// tokens per second, and what the server and the meters reported. Further charts show times by percentile and by prompt
// length. It omits charts without measurements.
func Served(f *series.File, facts Facts) []Chart {
	var all []Chart
	add := func(c Chart, ok bool) {
		if ok {
			all = append(all, c)
		}
	}
	m := chartData{f, facts}
	if f.Line(metric.TTFT) == nil {
		add(m.overTime("latency", metric.Latency, 0))
		add(m.distributionChart("latency-distribution", metric.Latency, 0))
	}
	add(m.overTime("ttft", metric.TTFT, facts.TTFTLimit))
	add(m.overTime("tpot", metric.TPOT, facts.TPOTLimit))
	add(m.underWay())
	add(m.rateChart("tokens", "Tokens per second over time", "tokens", m.tokenTimes()))
	for _, unit := range toldUnits(f.Collected) {
		add(m.toldChart(unit))
	}
	for i := range all {
		if x := &all[i].X; x.Of == Elapsed {
			x.Max = float64(max(f.Duration, 1)) // a common axis
		}
	}
	add(m.distributionChart("ttft-distribution", metric.TTFT, facts.TTFTLimit))
	add(m.distributionChart("tpot-distribution", metric.TPOT, facts.TPOTLimit))
	add(m.byLength())
	add(m.lengthsChart())
	return all
}

// tokenTimes returns the tokens of each step, by their arrival times if these are known.
func (m chartData) tokenTimes() []int64 {
	if len(m.Rates.Streamed) > 0 {
		return m.Rates.Streamed
	}
	return m.Rates.Tokens
}

// requests is the unit of the numbers shown together with the requests in flight.
const requests = "requests"

// underWay returns a chart of the requests that wait for an answer and of those that the server reports as running.
func (m chartData) underWay() (Chart, bool) {
	c, ok := m.outstandingChart()
	if !ok {
		return c, false
	}
	c.ID, c.Title, c.Y.Label = "under-way", "Requests under way over time", requests
	c.Alt = strings.Replace(c.Alt, "Samples issued and not answered", "Requests sent and not answered", 1)
	for i := range c.Hover {
		c.Hover[i].Words = strings.Replace(c.Hover[i].Words, " samples at most", " requests at most", 1)
	}
	lines := m.linesOf(requests)
	if len(lines) > 0 {
		c.Lines[0].Name, c.Lines[0].Fill = "sent by the client", false
		c.Lines = append(c.Lines, lines...)
		c.Alt += " By the server's own count: " + extremesText(lines, c.valueText) + "."
	}
	return c, true
}

// toldUnits returns the units of the reported numbers in order, except requests.
func toldUnits(told []series.CollectedSeries) (all []string) {
	for _, t := range told {
		if t.Unit != requests && !slices.Contains(all, t.Unit) {
			all = append(all, t.Unit)
		}
	}
	return all
}

// linesOf returns lines of the reported numbers in a unit during the measurement, up to maxLines.
func (m chartData) linesOf(unit string) (all []Line) {
	for _, t := range m.Collected {
		if l := cutLine(t, float64(max(m.Duration, 1))); t.Unit == unit && len(l.X) > 1 && len(all) < maxLines-1 {
			l.Name = t.Title
			all = append(all, l)
		}
	}
	return all
}

// cutLine cuts a line to the time from 0 to end. It interpolates the values at the cuts.
func cutLine(t series.CollectedSeries, end float64) (l Line) {
	for i := range t.T {
		x, y := float64(t.T[i]), t.V[i]
		if i > 0 {
			x0, y0 := float64(t.T[i-1]), t.V[i-1]
			for _, edge := range []float64{0, end} {
				if x0 < edge && edge < x {
					l.X, l.Y = append(l.X, edge), append(l.Y, y0+(y-y0)*(edge-x0)/(x-x0))
				}
			}
		}
		if 0 <= x && x <= end {
			l.X, l.Y = append(l.X, x), append(l.Y, y)
		}
	}
	return l
}

// toldTitles maps units to the titles of charts with several numbers.
var toldTitles = map[string]string{
	"%":        "What the server tells of its caches and drafts",
	"tokens/s": "Tokens per second by the server's own count",
	"ns":       "Times by the server's own clock, means",
	"W":        "Power over time",
}

// toldChart returns a chart of the reported numbers in a unit.
func (m chartData) toldChart(unit string) (Chart, bool) {
	lines := m.linesOf(unit)
	if len(lines) == 0 {
		return Chart{}, false
	}
	title := toldTitles[unit]
	if title == "" || unit == "%" && len(lines) == 1 {
		title = capitalize(lines[0].Name) + " over time"
	}
	c := Chart{ID: "told-" + idOf(unit), Title: title, Lines: lines,
		X: Axis{Label: "time", Of: Elapsed, Exact: true}, Y: Axis{Label: unit, Min: 0, Max: 1e-9}}
	if unit == "ns" {
		c.Y = Axis{Label: "time", Of: Latency}
		c.spreadTimes()
	}
	c.Alt = capitalize(extremesText(lines, c.valueText)) + "."
	if unit != "ns" {
		c.Alt = strings.TrimSuffix(c.Alt, ".") + ", in " + unit + "."
	}
	c.Hover = highestHovers(lines, c.valueText)
	return c, true
}

// idOf converts a unit to a chart's ID.
func idOf(unit string) string {
	switch unit {
	case "%":
		return "shares"
	case "W":
		return "power"
	case "ns":
		return "times"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(unit))
}

// extremesText describes the lowest and highest values of lines.
func extremesText(lines []Line, value func(float64) string) string {
	all := make([]string, len(lines))
	for i, l := range lines {
		all[i] = fmt.Sprintf("%s from %s to %s", l.Name, value(slices.Min(l.Y)), value(slices.Max(l.Y)))
	}
	return strings.Join(all, "; ")
}

// highestHovers returns the highest values of lines as hover texts for up to 60 ranges.
func highestHovers(lines []Line, value func(float64) string) (all []Hover) {
	const strips = 60
	end := 0.0
	for _, l := range lines {
		end = max(end, l.X[len(l.X)-1])
	}
	for k := range strips {
		from, to := end*float64(k)/strips, end*float64(k+1)/strips
		var words []string
		for _, l := range lines {
			most := math.Inf(-1)
			for i, x := range l.X {
				if from <= x && x <= to {
					most = max(most, l.Y[i])
				}
			}
			if !math.IsInf(most, 0) {
				words = append(words, l.Name+" "+value(most))
			}
		}
		if len(words) > 0 {
			all = append(all, Hover{from, to, fmt.Sprintf("%s to %s: %s", Duration(int64(from)), Duration(int64(to)),
				strings.Join(words, ", "))})
		}
	}
	return all
}

// byLength returns a chart of the time to the first token by prompt length.
func (m chartData) byLength() (Chart, bool) {
	l := m.Lengths
	if l == nil || len(l.Prompt) < 2 || l.Prompt[0] == l.Prompt[len(l.Prompt)-1] {
		return Chart{}, false
	}
	points := series.SelectPoints(len(l.Prompt), maxLengths, func(i int) (x, y float64) {
		return float64(l.Prompt[i]), float64(l.TTFT[i])
	})
	d := &Dots{}
	for _, i := range points {
		d.X, d.Y = append(d.X, float64(l.Prompt[i])), append(d.Y, float64(l.TTFT[i]))
	}
	low, high := slices.Min(d.Y), slices.Max(d.Y)
	c := Chart{
		ID: "ttft-length", Title: capitalize(metric.TTFT.Title) + " by length of the prompt", Dots: d,
		X: Axis{Label: "tokens of the prompt", Whole: true}, Y: Axis{Label: metric.TTFT.Title, Of: Latency, Max: high},
		Alt: fmt.Sprintf("%s to %s for prompts of %s to %s tokens.", Duration(int64(low)), Duration(int64(high)),
			groupDigits(uint64(l.Prompt[0])), groupDigits(uint64(l.Prompt[len(l.Prompt)-1]))),
	}
	if l.Asked {
		c.X.Label += ", as asked for"
	}
	if low > 0 && high/low >= 20 {
		c.Y.Scale, c.Y.Min = Log, low
	}
	if l.Of > len(points) {
		c.Notes = append(c.Notes, fmt.Sprintf("%s of %s requests, those with the longest times among them.",
			groupDigits(uint64(len(points))), groupDigits(uint64(l.Of))))
	}
	if v := m.facts.TTFTLimit; v > 0 && isDrawable(v, int64(high)) {
		c.Marks = append(c.Marks, Mark{Name: "limit " + Duration(v), At: float64(v), Limit: true})
	}
	return c, true
}

// lengthsChart returns a chart of the numbers of tokens in prompts and answers.
func (m chartData) lengthsChart() (Chart, bool) {
	if m.Lengths == nil {
		return Chart{}, false
	}
	c := Chart{ID: "lengths", Title: "Lengths of prompts and answers",
		X: Axis{Label: "tokens"}, Y: Axis{Label: "share of all, %", Min: 0, Max: 1e-9}}
	var words []string
	various := false
	for _, of := range []struct {
		name  string
		sizes series.Sizes
	}{{"prompts", m.Lengths.Prompts}, {"answers", m.Lengths.Answers}} {
		n := len(of.sizes.Count)
		if n == 0 {
			continue
		}
		various = various || n > 1
		c.Lines = append(c.Lines, sizesLine(of.name, of.sizes))
		from, to := of.sizes.From, of.sizes.From+int64(n)*of.sizes.Step-1
		text := of.name + " of " + groupDigits(uint64(from))
		if to > from {
			text += " to " + groupDigits(uint64(to))
		}
		words = append(words, text+" tokens")
	}
	c.Alt = capitalize(strings.Join(words, "; ")) + "."
	return c, various
}

// sizesLine returns a histogram of lengths, with one bar per step.
func sizesLine(name string, s series.Sizes) Line {
	total := int64(0)
	for _, n := range s.Count {
		total += n
	}
	l := Line{Name: name, Step: true, X: []float64{float64(s.From)}, Y: []float64{0}}
	for k, n := range s.Count {
		l.X = append(l.X, float64(s.From+int64(k)*s.Step))
		l.Y = append(l.Y, 100*float64(n)/float64(max(total, 1)))
	}
	l.X = append(l.X, float64(s.From+int64(len(s.Count))*s.Step))
	l.Y = append(l.Y, 0)
	return l
}
