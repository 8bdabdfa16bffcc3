package plot

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// maxSteps limits the steps in a chart of rates.
const maxSteps = 80

// rateLine returns the line of a count per second. It joins steps until there are few enough. It omits an incomplete
// last step unless it is the only one.
func (m chartData) rateLine(counts []int64) Line {
	join := (len(counts) + maxSteps - 1) / maxSteps
	l := Line{Step: true, Fill: true}
	for from := 0; from < len(counts); from += join {
		begin := int64(from) * m.Rates.Step
		end := min(int64(from+join)*m.Rates.Step, max(m.Duration, 1))
		if end <= begin || end-begin < m.Rates.Step*int64(join)/2 && from > 0 {
			break
		}
		var sum int64
		for _, n := range counts[from:min(from+join, len(counts))] {
			sum += n
		}
		l.X, l.Y = append(l.X, float64(begin)), append(l.Y, float64(sum)/(float64(end-begin)/1e9))
	}
	if n := len(l.X); n > 0 {
		l.X, l.Y = append(l.X, float64(m.Duration)), append(l.Y, l.Y[n-1])
	}
	return l
}

// rateChart returns a chart of a rate.
func (m chartData) rateChart(id, title, what string, counts []int64) (Chart, bool) {
	if len(counts) == 0 || slices.Max(counts) == 0 {
		return Chart{}, false
	}
	l := m.rateLine(counts)
	if len(l.X) == 0 {
		return Chart{}, false
	}
	var sum int64
	for _, n := range counts {
		sum += n
	}
	mean := float64(sum) / (float64(max(m.Duration, 1)) / 1e9)
	return Chart{
		ID: id, Title: title, Lines: []Line{l}, Hover: stepHovers(l, " "+what+"/s"),
		X: Axis{Label: "time", Of: Elapsed, Exact: true}, Y: Axis{Label: what + "/s", Max: slices.Max(l.Y)},
		Alt: fmt.Sprintf("%s %s in %s, %s per second on average; %s to %s over the run.", groupDigits(uint64(sum)), what,
			Duration(m.Duration), formatFigure(mean), formatFigure(slices.Min(l.Y)), formatFigure(slices.Max(l.Y))),
	}, true
}

// stepHovers returns the hover texts for the values of a line of steps.
func stepHovers(l Line, unit string) []Hover {
	var all []Hover
	for k := range len(l.X) - 1 {
		all = append(all, Hover{l.X[k], l.X[k+1], fmt.Sprintf("%s to %s: %s%s", Duration(int64(l.X[k])),
			Duration(int64(l.X[k+1])), formatFigure(l.Y[k]), unit)})
	}
	return all
}

// throughputChart returns a chart of the samples completed over time.
func (m chartData) throughputChart() (Chart, bool) {
	c, ok := m.rateChart("throughput", "Throughput over time", "samples", m.Rates.Samples)
	if due := m.facts.TargetSamplesPer; ok && due > 0 && due < 3*c.Y.Max {
		c.Marks = append(c.Marks, Mark{Name: "due: " + formatFigure(due) + "/s", At: due})
		c.Alt += " Due were " + formatFigure(due) + " per second."
	}
	return c, ok
}

func (m chartData) tokensChart() (Chart, bool) {
	return m.rateChart("tokens", "Tokens per second over time", "tokens", m.Rates.Tokens)
}

// outstandingChart returns a chart of the outstanding samples over time. It returns false if each query waits for the
// previous one, because the number is then constant.
func (m chartData) outstandingChart() (Chart, bool) {
	counts := m.Rates.Outstanding
	chained := m.Queries > 1 && m.Histogram(metric.IssueDelay) == nil
	if len(counts) == 0 || slices.Max(counts) == 0 || chained {
		return Chart{}, false
	}
	l := Line{Step: true, Fill: true}
	join := (len(counts) + maxSteps - 1) / maxSteps
	for k := 0; k < len(counts); k += join {
		n := slices.Max(counts[k:min(k+join, len(counts))])
		l.X, l.Y = append(l.X, float64(int64(k)*m.Rates.Step)), append(l.Y, float64(n))
	}
	l.X, l.Y = append(l.X, max(float64(m.Duration), l.X[len(l.X)-1])), append(l.Y, l.Y[len(l.Y)-1])
	most := slices.Max(counts)
	return Chart{
		ID: "outstanding", Title: "Samples outstanding over time", X: Axis{Label: "time", Of: Elapsed, Exact: true},
		Y: Axis{Label: "samples", Max: float64(most), Whole: true}, Lines: []Line{l}, Hover: stepHovers(l,
			" samples at most"),
		Alt: fmt.Sprintf("Samples issued and not answered: at most %s at a time.", groupDigits(uint64(most))),
	}, true
}
