package record

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Metrics lists the figures of a run, its result first. Each is there once, under one name; one that was not measured,
// is not finite, or means nothing in the scenario is not listed. A run that did not come to its end has none.
func (r Run) Metrics() []metric.Metric {
	if r.Status != Complete {
		return nil
	}
	return r.runFigures()
}

// runFigures are those of a run that may have been interrupted.
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

// TooFewLatencies names the percentiles among the run's metrics that its latencies are too few for ("p99, p99.9"), and
// says how many latencies there are. Empty: they are enough, or there are none. Latencies of Offline are not shown.
func (r Run) TooFewLatencies() (n int, names string) {
	if r.Serving != nil && r.Serving.Figures != nil {
		d := r.Serving.Figures.E2E
		ps := lists.Map(d.Percentiles, func(p metrics.Percentile) float64 { return p.P })
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
	ps := lists.Map(d.Percentiles, func(p Percentile) float64 { return p.P })
	return d.Count, metrics.UnsupportedPercentiles(d.Count, ps)
}

// MetricNames lists what a timed run of a scenario can measure, whether or not a run of it does: only models that
// generate tokens have tokens, say. A figure that may have one unit or another is there with each. Values are zero.
func MetricNames(s loadgen.Scenario) []metric.Metric {
	every := Latency{Count: 1}
	for _, p := range []float64{0.50, 0.90, 0.95, 0.97, 0.99, 0.999} { // those of LoadGen's logs
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
	// Of a model that answers with tokens the result is their rate.
	all = append(all, metric.PowerEfficiency.As(metric.PowerEfficiency.Title, "tokens/J").Of(0))
	if p.Metric.Unit != metric.Millis {
		all = append(all, metric.ResultOf("result", metric.TokensPerSecond.Unit).Of(0))
	}
	return all
}

// anyPower is what a meter can measure, with values of 0.
func anyPower(efficiency string) *Power {
	return &Power{
		Average: powerFigure(metric.PowerAverage, 0), Energy: powerFigure(metric.PowerEnergy, 0),
		Efficiency: powerFigure(metric.PowerEfficiency.As(metric.PowerEfficiency.Title, efficiency), 0),
	}
}

// ServingMetricNames lists what a measurement of a server can measure, whether or not one does: with the percentiles
// that are asked for beside the usual ones, by the names of distributions. Values are zero.
func ServingMetricNames(percentiles map[string][]float64) []metric.Metric {
	l := &figureList{seen: map[string]bool{}}
	l.addServing(&Serving{Figures: metrics.AllFigures(metrics.FigureRules{Percentiles: percentiles})})
	l.addFigure(metric.User, 0) // of a median of 0 there is none
	p := anyPower("tokens/J")
	p.Token = powerFigure(metric.PowerToken, 0)
	l.addPower(p)
	return l.metrics
}

// AccuracyMetrics lists the figures of a scorer that measures the metrics. Values are zero.
func AccuracyMetrics(metrics []sdk.MetricInfo) []metric.Metric {
	return lists.Map(metrics, func(m sdk.MetricInfo) metric.Metric {
		return metric.Accuracy(m.Name, m.Unit, cmp.Or(m.Better, sdk.HigherBetter)).Of(0)
	})
}

// figureList gathers figures, each name once.
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

// addTokens lists those of a run that counts them.
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

// addTimes lists the statistics of a distribution; where there were no times, there are none. The percentile that a run
// is judged at goes by that name, too. Latencies of Offline are how long all samples took: a comparison shows the rate.
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
		percentile(*target) // where it is not one of those
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

// registryInfo is the registry's row of a figure; ok is false where it has none. Records of versions that wrote no
// names have the title alone.
func (f Figure) registryInfo() (i metric.Info, ok bool) {
	if f.Metric == "" {
		return metric.Titled(f.Name)
	}
	return metric.Named(f.Metric)
}
