package metric

import (
	"cmp"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/judge"
	"github.com/plumbline-ml/plumbline/bench/report"
)

// Names lists what a timed run of a scenario can measure, with the units, whether or not a run of it does: only models
// that generate tokens have tokens, say. Values are zero.
func Names(s loadgen.Scenario) []Metric {
	l := everyPercentile()
	p := &report.Performance{
		Latency: l, Metric: report.Figure{Name: result, Unit: Millis}, Tokens: &report.Tokens{},
		Figures: []report.Figure{{Name: "tokens per second", Unit: "tokens/s"}},
	}
	if s != loadgen.Offline {
		p.Tokens.TTFT, p.Tokens.TPOT = &report.TokenLatency{Latency: l}, &report.TokenLatency{Latency: l}
	}
	switch s {
	case loadgen.SingleStream:
		p.Figures = append(p.Figures, report.Figure{Name: "queries per second with LoadGen overhead", Unit: "queries/s"})
	case loadgen.MultiStream:
		p.Query = &l
	default:
		p.Metric.Unit, p.Issue = "samples/s", &l
		p.Figures = append(p.Figures, report.Figure{Name: "samples per second", Unit: "samples/s"})
	}
	f := &report.Figure{}
	power := &report.Power{Average: f, Energy: f, Efficiency: f}
	return Of(report.Run{Status: report.Complete, Performance: p, Power: power})
}

// everyPercentile is a distribution with each percentile that LoadGen's logs have.
func everyPercentile() report.Latency {
	l := report.Latency{Count: 1}
	for _, p := range []float64{0.50, 0.90, 0.95, 0.97, 0.99, 0.999} {
		l.Percentiles = append(l.Percentiles, report.Percentile{P: p})
	}
	return l
}

// Accuracies lists the figures of a scorer that measures the metrics.
func Accuracies(metrics []sdk.MetricInfo) []Metric {
	a := &report.Accuracy{}
	for _, m := range metrics {
		a.Metrics = append(a.Metrics, judge.Metric{
			Name: m.Name, Unit: m.Unit, Better: cmp.Or(m.Better, sdk.HigherBetter),
		})
	}
	return Of(report.Run{Status: report.Complete, Accuracy: a})
}
