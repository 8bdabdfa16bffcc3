package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Judged is a figure that a run is judged by: its result, or what a limit holds for.
type Judged struct {
	Figure Figure
	// About says what the figure is where its title does not: "upper bound of the 90th percentile, 776 queries".
	About string
	// Limit is in the figure's unit. A good figure is at most Limit where Better is sdk.LowerBetter, and at least Limit
	// where it is sdk.HigherBetter. Where Better is empty no limit holds.
	Limit  float64
	Better sdk.MetricDirection
}

// Met reports whether the figure meets its limit or has none. NaN does not meet a limit.
func (j Judged) Met() bool {
	switch v := float64(j.Figure.Value); j.Better {
	case sdk.LowerBetter:
		return v <= j.Limit
	case sdk.HigherBetter:
		return v >= j.Limit
	}
	return true
}

// Margin is how far the figure is from its limit, as a fraction of the limit: above 0 on the good side. ok is false
// where there is no such fraction.
func (j Judged) Margin() (fraction float64, ok bool) {
	if j.Better == "" {
		return 0, false
	}
	fraction = float64(j.Figure.Value)/j.Limit - 1
	if j.Better == sdk.LowerBetter {
		fraction = -fraction
	}
	return fraction, !math.IsNaN(fraction) && !math.IsInf(fraction, 0)
}

// LimitText is "at most 15 ms", or of a figure that is to be large "at least 94.05 %"; empty where no limit holds.
func (j Judged) LimitText() string {
	word, value := "at least", figure.Round(j.Limit)
	switch j.Better {
	case "":
		return ""
	case sdk.LowerBetter:
		word = "at most"
	}
	if short := figure.Short(j.Limit); short == trimZeros(value) {
		value = short
	}
	return strings.TrimSpace(word + " " + value + " " + j.Figure.Unit)
}

// trimZeros leaves out the zeros behind a number's point.
func trimZeros(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}

// MarginText returns the figure's distance from its limit: "18 % below", "2.1 % above"; empty if unknown.
func (j Judged) MarginText() string {
	fraction, ok := j.Margin()
	if !ok {
		return ""
	}
	way := "above"
	if (fraction >= 0) == (j.Better == sdk.LowerBetter) {
		way = "below"
	}
	percent := 100 * math.Abs(fraction)
	switch {
	case percent == 0:
		return "just met"
	case percent < 0.01:
		return "less than 0.01 % " + way
	case percent < 0.995:
		return fmt.Sprintf("%.2f %% %s", percent, way)
	case percent < 9.95:
		return fmt.Sprintf("%.1f %% %s", percent, way)
	case percent >= 99.5 && percent < 100: // it is not all of it
		return fmt.Sprintf("%.1f %% %s", math.Floor(10*percent)/10, way)
	}
	return fmt.Sprintf("%.0f %% %s", percent, way)
}

// String is "99th percentile latency 12.300 ms (at most 15 ms, 18 % below)".
func (j Judged) String() string {
	text := j.Figure.Name + " " + j.Figure.String()
	more := lists.Filter([]string{j.About, j.LimitText(), j.MarginText()}, func(t string) bool { return t != "" })
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// Judged lists what the run is judged by: figures with a limit first, then its result, then what was measured where the
// result is an estimate. It is empty where nothing was measured. No limit holds for a run that did not come to its end.
func (r Run) Judged() []Judged {
	if r.Accuracy != nil {
		return r.Accuracy.judgedMetrics()
	}
	if r.Serving != nil {
		return r.Serving.judgedObjectives(r)
	}
	if r.isUnmeasured() {
		return nil
	}
	p := r.Performance
	all := p.judgedTimes(r)
	limited := slices.IndexFunc(all, func(j Judged) bool { return j.Better == "" })
	if limited < 0 {
		limited = len(all)
	}
	return slices.Insert(all, limited, p.headlineResult(r))
}

// judgedMetrics are the metrics, each with the limit that it is nearest to where it has two.
func (a *Accuracy) judgedMetrics() []Judged {
	var all []Judged
	for _, m := range a.Metrics {
		j := Judged{Figure: Figure{Name: m.Name, Unit: m.Unit, Value: m.Value, Rounded: m.Rounded}, About: m.Text}
		least, most := j, j
		least.Limit, least.Better = float64(m.Target), sdk.HigherBetter
		most.Limit, most.Better = float64(m.Upper), sdk.LowerBetter
		above, _ := least.Margin()
		below, _ := most.Margin()
		switch {
		case m.Upper != 0 && (m.Target == 0 || below < above):
			j = most
		case m.Target != 0:
			j = least
		}
		all = append(all, j)
	}
	return all
}

// headlineResult is the run's headline. Records of versions that called an estimate a percentile are read as it is.
func (p *Performance) headlineResult(r Run) Judged {
	if p.Peak != nil && p.Peak.Found {
		return Judged{Figure: p.Peak.TargetQPS, About: metric.TargetQPS.About}
	}
	j := Judged{Figure: p.Metric}
	if info, ok := p.estimateInfo(r.Scenario); ok {
		j.Figure.Name, j.About = info.Title, info.About
	}
	return j
}

// estimateInfo describes the result where it is an estimate of LoadGen's; ok is false where it is what was measured.
func (p *Performance) estimateInfo(scenario string) (i metric.Info, ok bool) {
	if p.Early == nil || !p.Early.Met || p.Metric.Unit != metric.Millis {
		return i, false
	}
	of := metric.Latency
	switch {
	case scenario == loadgen.MultiStream.String():
		of = metric.QueryLatency
	case p.Tokens != nil:
		of = metric.TTFT
	}
	return metric.EstimateOf(of, p.Early.Percentile, p.Early.Processed), true
}

// brokenOff says that the run did not come to its end.
func (r Run) brokenOff() bool {
	return r.Status == Interrupted || r.Status == Failed || r.Status == NotRun
}

// isUnmeasured says that nothing was timed: the run has no performance, or broke off before its first query.
func (r Run) isUnmeasured() bool {
	return r.Performance == nil || r.brokenOff() && r.Performance.Queries == 0
}

// judgedTimes are the times that limits, or the result, are about, as they were measured.
func (p *Performance) judgedTimes(r Run) []Judged {
	all := p.allTimes(r)
	if r.brokenOff() {
		for i := range all {
			all[i].Limit, all[i].Better = 0, ""
		}
	}
	return all
}

func (p *Performance) allTimes(r Run) []Judged {
	if v := p.Intervals; v != nil {
		return []Judged{{Figure: countOf(metric.OverLatency, v.Overtime), Limit: float64(v.Allowed), Better: sdk.LowerBetter}}
	}
	var all []Judged
	if t := p.Tokens; t != nil && t.TTFT != nil && t.TPOT != nil {
		all = append(all, t.TTFT.judgedTarget(), t.TPOT.judgedTarget())
		if r.Scenario != loadgen.MultiStream.String() { // whose result is of queries
			return all
		}
	}
	of, at, ok := p.targetLatency(r)
	if !ok {
		return all
	}
	j := Judged{Figure: figureOf(of.At(at.P), figure.Millis(time.Duration(at.NS)))}
	if e := r.Effective; r.Scenario == loadgen.Server.String() && e.TargetLatencyNS > 0 {
		j.Limit, j.Better = figure.Millis(time.Duration(e.TargetLatencyNS)), sdk.LowerBetter
	} else if _, ok := p.estimateInfo(r.Scenario); !ok {
		return all // it is the result
	}
	return append(all, j)
}

// targetLatency is the latency at the percentile that the run is judged at, and what it is of; ok is false in Offline,
// and where it is not known.
func (p *Performance) targetLatency(r Run) (of metric.Times, at Percentile, ok bool) {
	e := r.Effective
	if e == nil || !(e.TargetLatencyPercentile > 0 && e.TargetLatencyPercentile < 1) ||
		!metric.TargetLatency.Means(r.Scenario) {
		return of, at, false
	}
	if of = metric.Latency; r.Scenario == loadgen.MultiStream.String() {
		of = metric.QueryLatency
	}
	d := &p.Latency
	if p.Query != nil && of.Key == metric.QueryLatency.Key {
		d = p.Query
	}
	for _, at := range d.Percentiles {
		if at.P == e.TargetLatencyPercentile {
			return of, at, true
		}
	}
	for _, f := range p.Figures { // it may be none of those that logs have
		if i, known := f.registryInfo(); known && i.Name == metric.TargetLatency.Name {
			ns := math.Round(float64(f.Value) * float64(time.Millisecond))
			return of, Percentile{e.TargetLatencyPercentile, int64(ns)}, true
		}
	}
	return of, at, false
}

// countOf is a figure that is counted, and not rounded.
func countOf(i metric.Info, n uint64) Figure {
	f := figureOf(i, float64(n))
	f.Rounded = figure.Count(n)
	return f
}

// judgedTarget is the target percentile with its limit, of Server.
func (l *TokenLatency) judgedTarget() Judged {
	j := Judged{Figure: l.Figure}
	switch {
	case l.LimitNS >= int64(metrics.NoLimit):
		j.About = "no limit"
	case l.LimitNS > 0:
		j.Limit, j.Better = figure.Millis(time.Duration(l.LimitNS)), sdk.LowerBetter
	}
	return j
}

// Others are the figures of the run beside those that it is judged by: rates, counts and power, each once, and none
// that means nothing in its scenario. Statistics of times, and how long the run took, are not among them.
func (r Run) Others() []Judged {
	p := r.Performance
	if r.Serving != nil {
		return r.Serving.otherFigures(r)
	}
	if r.isUnmeasured() {
		return nil
	}
	skipped := map[string]bool{metric.Result.Name: true, metric.TargetQPS.Name: true, metric.Duration.Name: true,
		metric.Queries.Name: p.Queries == 1, metric.Samples.Name: p.Samples == p.Queries,
		metric.OverLatency.Name: p.Tokens != nil || r.Scenario != loadgen.Server.String()} // no such limit holds there
	var all []Judged
	for _, m := range r.runFigures() {
		if skipped[m.Name] || m.Unit == metric.Millis {
			continue
		}
		j := Judged{Figure: figureOf(m.Info, m.Value)}
		if m.Unit == "" {
			j.Figure = countOf(m.Info, uint64(max(0, m.Value)))
		}
		if strings.HasPrefix(m.Name, metric.Power) {
			j.About = "informal"
		}
		all = append(all, j)
	}
	return all
}
