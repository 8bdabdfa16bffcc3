package record

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Judged is a figure by which a run is judged: its result, or a value with a limit.
type Judged struct {
	Figure Figure
	// About describes the figure if its title is not sufficient: "upper bound of the 90th percentile, 776 queries".
	About string
	// Limit is in the figure's unit. It is a maximum if Better is sdk.LowerBetter and a minimum if Better is
	// sdk.HigherBetter. If Better is empty, there is no limit.
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

// Margin returns the distance of the figure from its limit as a fraction of the limit, above 0 if the limit is met. ok
// is false if there is no such fraction.
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

// LimitText returns "at most 15 ms" for a maximum, "at least 94.05 %" for a minimum, and "" without a limit.
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

// trimZeros removes zeros at the end of a number's decimals.
func trimZeros(number string) string {
	if !strings.Contains(number, ".") {
		return number
	}
	return strings.TrimRight(strings.TrimRight(number, "0"), ".")
}

// MarginText returns the figure's distance from its limit: "18 % below", "2.1 % above"; "": unknown.
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
	case percent >= 99.5 && percent < 100: // not rounded up to 100 %
		return fmt.Sprintf("%.1f %% %s", math.Floor(10*percent)/10, way)
	}
	return fmt.Sprintf("%.0f %% %s", percent, way)
}

// String returns the figure with its limit: "99th percentile latency 12.300 ms (at most 15 ms, 18 % below)".
func (j Judged) String() string {
	text := j.Figure.Name + " " + j.Figure.String()
	var more []string
	for _, t := range []string{j.About, j.LimitText(), j.MarginText()} {
		if t != "" {
			more = append(more, t)
		}
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, ", ") + ")"
	}
	return text
}

// Judged lists the figures by which the run is judged: figures with a limit, then the result, then measured values if
// the result is an estimate. It is empty if nothing was measured. Limits do not apply to a run that did not finish.
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

// judgedMetrics returns the metrics. A metric with two limits has the one that is nearer.
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

// headlineResult returns the run's headline. It does not correct records of old versions that called an estimate a
// percentile.
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

// estimateInfo describes the result if it is LoadGen's estimate. ok is false if it is a measured value.
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

// isBrokenOff reports whether the run did not finish.
func (r Run) isBrokenOff() bool {
	return r.Status == Interrupted || r.Status == Failed || r.Status == NotRun
}

// isUnmeasured reports whether no queries were timed: the run has no performance, or it stopped before its first query.
func (r Run) isUnmeasured() bool {
	return r.Performance == nil || r.isBrokenOff() && r.Performance.Queries == 0
}

// judgedTimes returns the measured times with a limit or of the result.
func (p *Performance) judgedTimes(r Run) []Judged {
	all := p.allTimes(r)
	if r.isBrokenOff() {
		for i := range all {
			all[i].Limit, all[i].Better = 0, ""
		}
	}
	return all
}

func (p *Performance) allTimes(r Run) []Judged {
	if v := p.Intervals; v != nil {
		return []Judged{{Figure: countFigure(metric.OverLatency, v.Overtime), Limit: float64(v.Allowed),
			Better: sdk.LowerBetter}}
	}
	var all []Judged
	if t := p.Tokens; t != nil && t.TTFT != nil && t.TPOT != nil {
		all = append(all, t.TTFT.judgedTarget(), t.TPOT.judgedTarget())
		if r.Scenario != loadgen.MultiStream.String() { // the result of MultiStream is a latency of queries
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
		return all // the time is the result itself
	}
	return append(all, j)
}

// targetLatency returns the latency at the percentile that the rules judge, and its distribution. ok is false in
// Offline and if the latency is unknown.
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
	for _, f := range p.Figures { // logs need not contain the percentile
		if i, known := f.registryInfo(); known && i.Name == metric.TargetLatency.Name {
			ns := math.Round(float64(f.Value) * float64(time.Millisecond))
			return of, Percentile{e.TargetLatencyPercentile, int64(ns)}, true
		}
	}
	return of, at, false
}

// countFigure returns a counted figure, which is not rounded.
func countFigure(i metric.Info, n uint64) Figure {
	f := figureOf(i, float64(n))
	f.Rounded = figure.Count(n)
	return f
}

// judgedTarget returns the target percentile with its limit in Server.
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

// Others returns the run's figures that Judged does not contain: rates, counts and power, each once, except those
// without a meaning in the scenario. It omits statistics of times and the duration of the run.
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
		metric.OverLatency.Name: p.Tokens != nil || r.Scenario != loadgen.Server.String()} // other runs: no such limit
	var all []Judged
	for _, m := range r.runFigures() {
		if skipped[m.Name] || m.Unit == metric.Millis {
			continue
		}
		j := Judged{Figure: figureOf(m.Info, m.Value)}
		if m.Unit == "" {
			j.Figure = countFigure(m.Info, uint64(max(0, m.Value)))
		}
		if strings.HasPrefix(m.Name, metric.Power) {
			j.About = "informal"
		}
		all = append(all, j)
	}
	return all
}
