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
)

// Metrics lists the figures of a run, its result first. One that was not measured, or is not finite, is not listed. A
// run that did not come to its end has none.
func (r Run) Metrics() []metric.Metric {
	if r.Status != Complete {
		return nil
	}
	l := &figureList{seen: map[string]bool{}}
	if p := r.Performance; p != nil {
		l.performance(*p)
		l.add(metric.Duration, r.Duration)
	}
	l.power(r.Power)
	if r.Accuracy != nil {
		for _, m := range r.Accuracy.Metrics {
			l.add(metric.Accuracy(m.Name, m.Unit, m.Better), float64(m.Value))
		}
	}
	return l.metrics
}

// MetricNames lists what a timed run of a scenario can measure, whether or not a run of it does: only models that
// generate tokens have tokens, say. Values are zero.
func MetricNames(s loadgen.Scenario) []metric.Metric {
	every := Latency{Count: 1}
	for _, p := range []float64{0.50, 0.90, 0.95, 0.97, 0.99, 0.999} { // those of LoadGen's logs
		every.Percentiles = append(every.Percentiles, Percentile{P: p})
	}
	p := Performance{Latency: every, Tokens: &Tokens{}, Metric: figureOf(metric.ResultOf("result", metric.Millis), 0)}
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
	power := Power{Average: &Figure{}, Energy: &Figure{}, Efficiency: &Figure{}}
	return Run{Status: Complete, Performance: &p, Power: &power}.Metrics()
}

// AccuracyMetrics lists the figures of a scorer that measures the metrics. Values are zero.
func AccuracyMetrics(metrics []sdk.MetricInfo) []metric.Metric {
	var all []metric.Metric
	for _, m := range metrics {
		all = append(all, metric.Accuracy(m.Name, m.Unit, cmp.Or(m.Better, sdk.HigherBetter)).Of(0))
	}
	return all
}

// figureList gathers figures, each name once.
type figureList struct {
	metrics []metric.Metric
	seen    map[string]bool
}

func (l *figureList) add(i metric.Info, v float64) {
	if key := strings.ToLower(i.Name); !math.IsNaN(v) && !math.IsInf(v, 0) && !l.seen[key] {
		l.seen[key] = true
		l.metrics = append(l.metrics, i.Of(v))
	}
}

func (l *figureList) performance(p Performance) {
	if p.Peak != nil && p.Peak.Found {
		l.add(metric.TargetQPS, float64(p.Peak.TargetQPS.Value))
	}
	headline := metric.ResultOf(p.Metric.Name, p.Metric.Unit)
	headline.Main = p.Peak == nil
	l.add(headline, float64(p.Metric.Value))
	for _, f := range p.Figures {
		if i, ok := f.info(); ok {
			i.Main = i.Main && f.Name != p.Metric.Name
			l.add(i.As(f.Name, f.Unit), float64(f.Value))
		}
	}
	l.times(metric.Latency, &p.Latency)
	l.times(metric.QueryLatency, p.Query)
	if t := p.Tokens; t != nil {
		l.add(metric.Tokens, float64(t.Count))
		if t.TTFT != nil {
			l.times(metric.TTFT, &t.TTFT.Latency)
		}
		if t.TPOT != nil {
			l.times(metric.TPOT, &t.TPOT.Latency)
		}
	}
	l.times(metric.IssueDelay, p.Issue)
	l.add(metric.OverLatency, float64(p.Over))
	l.add(metric.Queries, float64(p.Queries))
	l.add(metric.Samples, float64(p.Samples))
}

// times lists the statistics of a distribution; where there were no times, there are none.
func (l *figureList) times(of metric.Times, d *Latency) {
	if d == nil || d.Count == 0 {
		return
	}
	add := func(i metric.Info, ns int64) { l.add(i, figure.Millis(time.Duration(ns))) }
	add(of.Mean(), d.Mean)
	for _, p := range d.Percentiles {
		add(of.At(p.P), p.NS)
	}
	add(of.Min(), d.Min)
	add(of.Max(), d.Max)
}

func (l *figureList) power(p *Power) {
	if p == nil {
		return
	}
	for _, of := range []struct {
		metric.Info
		figure *Figure
	}{{metric.PowerAverage, p.Average}, {metric.PowerEnergy, p.Energy}, {metric.PowerEfficiency, p.Efficiency}} {
		if of.figure != nil {
			l.add(of.As(of.figure.Name, of.figure.Unit), float64(of.figure.Value))
		}
	}
}

// info is the registry's row of a figure; ok is false where it has none. Records of versions that wrote no names have
// the title alone.
func (f Figure) info() (i metric.Info, ok bool) {
	if f.Metric == "" {
		return metric.Titled(f.Name)
	}
	return metric.Named(f.Metric)
}
