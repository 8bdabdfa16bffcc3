package record

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Metrics lists the figures of a run, starting with its result. Each appears once, under one name. It omits figures
// that were not measured, are not finite or have no meaning in the scenario. A run that did not finish has no figures.
func (r Run) Metrics() []metric.Metric {
	if r.Status != Complete {
		return nil
	}
	return r.runFigures()
}

// runFigures returns the figures of a run, even if the run was interrupted.
func (r Run) runFigures() []metric.Metric {
	l := &figureList{scenario: r.Scenario, seen: map[string]bool{}}
	if p := r.Performance; p != nil {
		l.addPerformance(r, p)
		l.addFigure(metric.Duration, r.Duration)
	}
	l.addServing(r.Serving)
	l.addPower(r.Power)
	if r.Accuracy != nil {
		for _, m := range r.Accuracy.Metrics {
			l.addFigure(metric.Accuracy(m.Name, m.Unit, m.Better), float64(m.Value))
		}
	}
	return l.metrics
}

// TooFewLatencies returns the number of latencies and the names of the run's percentiles for which they are too few
// ("p99, p99.9"). names is empty if there are enough latencies or none. Latencies of Offline are not shown.
func (r Run) TooFewLatencies() (n int, names string) {
	if r.Serving != nil && r.Serving.Figures != nil {
		d := r.Serving.Figures.E2E
		ps := make([]float64, len(d.Percentiles))
		for i, p := range d.Percentiles {
			ps[i] = p.P
		}
		return d.N, metrics.UnsupportedPercentiles(d.N, ps)
	}
	p := r.Performance
	if p == nil || r.Scenario == loadgen.Offline.String() {
		return 0, ""
	}
	d := &p.Latency
	if p.Query != nil {
		d = p.Query
	}
	ps := make([]float64, len(d.Percentiles))
	for i, p := range d.Percentiles {
		ps[i] = p.P
	}
	return d.Count, metrics.UnsupportedPercentiles(d.Count, ps)
}

// MetricNames lists the figures that a timed run of a scenario can measure, even those that only some models have, such
// as tokens. A figure with alternative units appears with each unit. Values are zero.
func MetricNames(s loadgen.Scenario) []metric.Metric {
	every := Latency{Count: 1}
	for _, p := range []float64{0.50, 0.90, 0.95, 0.97, 0.99, 0.999} { // percentiles of LoadGen's logs
		every.Percentiles = append(every.Percentiles, Percentile{P: p})
	}
	p := Performance{Latency: every, Tokens: &Tokens{Count: 1},
		Metric: figureOf(metric.ResultOf("result", metric.Millis), 0)}
	for _, i := range []metric.Info{metric.TokensPerSecond, metric.TokensPerSecondWith, metric.TokensPerSecondWithout,
		metric.InferredTokensPerSecond, metric.TargetLatency} {
		p.Figures = append(p.Figures, figureOf(i, 0))
	}
	if s != loadgen.Offline {
		p.Tokens.TTFT, p.Tokens.TPOT = &TokenLatency{Latency: every}, &TokenLatency{Latency: every}
	}
	switch s {
	case loadgen.SingleStream:
		p.Figures = append(p.Figures, figureOf(metric.QueriesPerSecond, 0), figureOf(metric.QueriesPerSecondWithout, 0))
	case loadgen.MultiStream:
		p.Query = &every
	default:
		p.Metric.Unit, p.Issue = metric.SamplesPerSecond.Unit, &every
		p.Figures = append(p.Figures, figureOf(metric.SamplesPerSecond, 0), figureOf(metric.ScheduledSamplesPerSecond, 0))
	}
	all := Run{Scenario: s.String(), Status: Complete, Performance: &p, Power: anyPower("samples/J")}.Metrics()
	// If the model answers with tokens, the result is their rate.
	all = append(all, metric.PowerEfficiency.As(metric.PowerEfficiency.Title, "tokens/J").Of(0))
	if p.Metric.Unit != metric.Millis {
		all = append(all, metric.ResultOf("result", metric.TokensPerSecond.Unit).Of(0))
	}
	return all
}

// anyPower returns the figures that a meter can measure, with values of 0.
func anyPower(efficiency string) *Power {
	return &Power{
		Average: powerFigure(metric.PowerAverage, 0), Energy: powerFigure(metric.PowerEnergy, 0),
		Efficiency: powerFigure(metric.PowerEfficiency.As(metric.PowerEfficiency.Title, efficiency), 0),
	}
}

// ServingMetricNames lists the figures that a measurement of a server can measure. It includes the usual percentiles
// and the requested ones, which percentiles contains by name of the distribution. Values are zero.
func ServingMetricNames(percentiles map[string][]float64) []metric.Metric {
	l := &figureList{seen: map[string]bool{}}
	l.addServing(&Serving{Figures: metrics.AllFigures(metrics.FigureRules{Percentiles: percentiles})})
	l.addFigure(metric.User, 0) // undefined if the median is 0
	p := anyPower("tokens/J")
	p.Token = powerFigure(metric.PowerToken, 0)
	l.addPower(p)
	return l.metrics
}

// AccuracyMetrics lists the figures of a scorer with the given metrics. Values are zero.
func AccuracyMetrics(metrics []sdk.MetricInfo) []metric.Metric {
	figures := make([]metric.Metric, len(metrics))
	for i, m := range metrics {
		figures[i] = metric.Accuracy(m.Name, m.Unit, cmp.Or(m.Better, sdk.HigherBetter)).Of(0)
	}
	return figures
}

// figureList collects figures, each name once.
type figureList struct {
	scenario string
	metrics  []metric.Metric
	seen     map[string]bool
}

func (l *figureList) addFigure(i metric.Info, v float64) {
	key := strings.ToLower(i.Name)
	if math.IsNaN(v) || math.IsInf(v, 0) || l.seen[key] || !i.Means(l.scenario) {
		return
	}
	l.seen[key] = true
	for _, also := range i.Also {
		l.seen[also] = true
	}
	l.metrics = append(l.metrics, i.Of(v))
}

func (l *figureList) addPerformance(r Run, p *Performance) {
	if p.Peak != nil && p.Peak.Found {
		l.addFigure(metric.TargetQPS, float64(p.Peak.TargetQPS.Value))
	}
	headline := metric.ResultOf(p.Metric.Name, p.Metric.Unit)
	if estimate, ok := p.estimateInfo(r.Scenario); ok {
		headline = estimate
	}
	headline.Main = p.Peak == nil
	l.addFigure(headline, float64(p.Metric.Value))
	targetOf, at, targeted := p.targetLatency(r)
	target := func(of metric.Times) *Percentile {
		if targeted && of.Key == targetOf.Key {
			return &at
		}
		return nil
	}
	for _, f := range p.Figures {
		i, ok := f.registryInfo()
		if ok && i.Unit != metric.Millis || i.Name == metric.TargetLatency.Name && !targeted {
			l.addFigure(i.As(f.Name, f.Unit), float64(f.Value))
		}
	}
	samples := metric.Latency
	if p.Query != nil {
		samples = samples.OfSamples()
	}
	l.addTimes(samples, &p.Latency, target(samples))
	l.addTimes(metric.QueryLatency, p.Query, target(metric.QueryLatency))
	if p.Tokens != nil {
		l.addTokens(p.Tokens)
	}
	l.addTimes(metric.IssueDelay, p.Issue, nil)
	if p.Stated() {
		l.addFigure(metric.OverLatency, float64(p.Over))
		l.addFigure(metric.Queries, float64(p.Queries))
		l.addFigure(metric.Samples, float64(p.Samples))
	}
}

// addTokens adds the figures of a run that counts tokens.
func (l *figureList) addTokens(t *Tokens) {
	if t.Stated() {
		l.addFigure(metric.Tokens, float64(t.Count))
	}
	if t.TTFT != nil {
		l.addTimes(metric.TTFT, &t.TTFT.Latency, nil)
	}
	if t.TPOT != nil {
		l.addTimes(metric.TPOT, &t.TPOT.Latency, nil)
	}
}

// addTimes adds the statistics of a distribution, if it contains times. The percentile by which a run is judged also
// appears under the name of the target percentile. Latencies of Offline are durations of all samples; a comparison
// shows the rate instead.
func (l *figureList) addTimes(of metric.Times, d *Latency, target *Percentile) {
	if d == nil || !d.Measured() {
		return
	}
	add := func(i metric.Info, ns int64) {
		i.Main = i.Main && (l.scenario != loadgen.Offline.String() || of.Key != metric.Latency.Key)
		l.addFigure(i, figure.Millis(time.Duration(ns)))
	}
	percentile := func(p Percentile) {
		i := of.At(p.P)
		if target != nil && p.P == target.P {
			i.Main, i.Also = true, []string{metric.TargetLatency.Name}
		}
		add(i, p.NS)
	}
	if d.Ranged() {
		add(of.Mean(), d.Mean)
	}
	for _, p := range d.Percentiles {
		percentile(p)
	}
	if target != nil {
		percentile(*target) // if the target is another percentile
	}
	if d.Ranged() {
		add(of.Min(), d.Min)
		add(of.Max(), d.Max)
	}
}

func (l *figureList) addPower(p *Power) {
	if p == nil {
		return
	}
	for _, of := range []struct {
		metric.Info
		figure *Figure
	}{
		{metric.PowerAverage, p.Average}, {metric.PowerEnergy, p.Energy}, {metric.PowerToken, p.Token},
		{metric.PowerEfficiency, p.Efficiency},
	} {
		if of.figure != nil {
			l.addFigure(of.As(of.figure.Name, of.figure.Unit), float64(of.figure.Value))
		}
	}
}

// registryInfo returns the figure's entry in the registry. ok is false if there is none. It looks up records of
// versions without names by title.
func (f Figure) registryInfo() (i metric.Info, ok bool) {
	if f.Metric == "" {
		return metric.Titled(f.Name)
	}
	return metric.Named(f.Metric)
}
