// Package measure defines the metrics of a run for monitoring systems, with the same names and buckets in Prometheus
// and OpenTelemetry.
//
// In scope: names, units and values. Out of scope: protocols (packages metrics and otlp).
package measure

import (
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// MeasureKind is the way in which a value changes.
type MeasureKind int

// The kinds. A Gauge may rise and fall, a Counter only rises, and a Distribution counts times.
const (
	Gauge MeasureKind = iota
	Counter
	Distribution
)

// Measure is a row of the table of metrics. It has one value or distribution per run, or several values with different
// additional labels.
type Measure struct {
	Name   string // OpenTelemetry's name: "plumbline.samples.issued"
	Help   string
	Unit   string // UCUM unit: "s", "{sample}", "1"
	Kind   MeasureKind
	Labels []string // in addition to runLabels

	values func(r *feed.Run, add func(value float64, labels ...string))
	times  func(r *feed.Run) *feed.Histogram
}

// PrometheusName returns the metric's name in Prometheus, by OpenTelemetry's conversion rules.
func (m Measure) PrometheusName() string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit == "s" {
		name += "_seconds"
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}

// PhaseName is the name of the measure with one value per phase.
const PhaseName = "plumbline.run.phase"

// runLabels lists the labels of all measures.
var runLabels = []string{"run", "model", "scenario", "mode"}

// LabelNames returns the names of all labels.
func (m Measure) LabelNames() []string { return append(append([]string{}, runLabels...), m.Labels...) }

// MeasurePoint is a value of a measure or, for a Distribution, its times.
type MeasurePoint struct {
	Labels []string // values of LabelNames
	Value  float64
	Times  *feed.Histogram
}

// EachPoint calls visit for each known value of a run.
func (m Measure) EachPoint(r *feed.Run, visit func(MeasurePoint)) {
	labels := []string{strconv.Itoa(r.Run), r.Model, r.Scenario, r.Mode}
	if m.Kind == Distribution {
		if h := m.times(r); h.N > 0 {
			visit(MeasurePoint{Labels: validLabels(labels), Times: h})
		}
		return
	}
	m.values(r, func(v float64, more ...string) {
		visit(MeasurePoint{Labels: validLabels(append(append([]string{}, labels...), more...)), Value: v})
	})
}

// validLabels replaces invalid UTF-8 in labels, because paths may contain it.
func validLabels(labels []string) []string {
	for i := range labels {
		labels[i] = strings.ToValidUTF8(labels[i], "?")
	}
	return labels
}

// newSingleValue returns the values function of a measure with one value.
func newSingleValue(value func(*feed.Run) float64) func(*feed.Run, func(float64, ...string)) {
	return func(r *feed.Run, add func(float64, ...string)) { add(value(r)) }
}

// newKnownValue is singleValue for a value that is omitted if it is 0.
func newKnownValue(value func(*feed.Run) float64) func(*feed.Run, func(float64, ...string)) {
	return func(r *feed.Run, add func(float64, ...string)) {
		if v := value(r); v != 0 {
			add(v)
		}
	}
}

// AllMeasures returns all measures.
func AllMeasures() []Measure {
	return append(append(append([]Measure{}, countMeasures...), stateMeasures...), distributionMeasures...)
}

var countMeasures = []Measure{
	{Name: "plumbline.queries.issued", Unit: "{query}", Kind: Counter, Help: "Queries issued.",
		values: newSingleValue(func(r *feed.Run) float64 { return float64(r.Queries) })},
	{Name: "plumbline.samples.issued", Unit: "{sample}", Kind: Counter, Help: "Samples issued.",
		values: newSingleValue(func(r *feed.Run) float64 { return float64(r.Issued) })},
	{Name: "plumbline.samples.completed", Unit: "{sample}", Kind: Counter, Help: "Samples answered.",
		values: newSingleValue(func(r *feed.Run) float64 { return float64(r.Done) })},
	{Name: "plumbline.samples.over_limit", Unit: "{sample}", Kind: Counter,
		Help: "Samples answered above a latency limit of the run, exactly.",
		values: func(r *feed.Run, add func(float64, ...string)) {
			if r.LimitNS > 0 || r.TTFTLimitNS > 0 {
				add(float64(r.OverLimit))
			}
		}},
	{Name: "plumbline.tokens.completed", Unit: "{token}", Kind: Counter, Help: "Tokens of the samples answered.",
		values: newKnownValue(func(r *feed.Run) float64 { return float64(r.Tokens) })},
	{Name: "plumbline.samples.outstanding", Unit: "{sample}", Help: "Samples issued and not yet answered.",
		values: newSingleValue(func(r *feed.Run) float64 { return float64(r.Outstanding()) })},
}

var stateMeasures = []Measure{
	{Name: "plumbline.run.info", Unit: "", Help: "What runs; always 1.",
		Labels: []string{"name", "precision", "backend", "dataset", "server_model"}, values: addRunInfo},
	{Name: PhaseName, Unit: "", Help: "1 for the phase that the run is in, 0 for the others.",
		Labels: []string{"phase"}, values: addRunPhase},
	{Name: "plumbline.run.elapsed", Unit: "s", Help: "Time since LoadGen's clock started, of the series under way.",
		values: newSingleValue(func(r *feed.Run) float64 { return r.Elapsed.Seconds() })},
	{Name: "plumbline.run.latency_limit", Unit: "s", Help: "The latency limit of the run, where it has one.",
		values: newKnownValue(func(r *feed.Run) float64 { return float64(r.LimitNS) / 1e9 })},
	{Name: "plumbline.run.latency_percentile", Unit: "", Help: "The percentile, as a fraction, that the run is judged at.",
		values: newKnownValue(func(r *feed.Run) float64 { return r.Percentile })},
	{Name: "plumbline.run.exit_code", Unit: "",
		Help: "Of a run that has ended: 0 VALID, or accuracy at its target; else as harness exits.", values: addExitCode},
	{Name: "plumbline.run.result", Unit: "", Help: "Of a run that has ended: its figure, as the report has it.",
		Labels: []string{"metric", "unit"}, values: addRunResult},
}

var distributionMeasures = []Measure{
	timesMeasure(metric.Latency, func(r *feed.Run) *feed.Histogram { return &r.Latency }),
	timesMeasure(metric.QueryLatency, func(r *feed.Run) *feed.Histogram { return &r.QueryLatency }),
	timesMeasure(metric.IssueDelay, func(r *feed.Run) *feed.Histogram { return &r.IssueDelay }),
	timesMeasure(metric.TTFT, func(r *feed.Run) *feed.Histogram { return &r.TTFT }),
	timesMeasure(metric.TPOT, func(r *feed.Run) *feed.Histogram { return &r.TPOT }),
}

func timesMeasure(of metric.Times, times func(r *feed.Run) *feed.Histogram) Measure {
	return Measure{Name: of.Signal, Unit: "s", Kind: Distribution, Help: of.About + ".", times: times}
}

func addRunInfo(r *feed.Run, add func(float64, ...string)) {
	if w := r.Workload; w != nil {
		add(1, r.Name, w.Precision, w.Backend, w.Dataset, w.BackendInfo["model"]) // "": no server
	}
}

func addRunPhase(r *feed.Run, add func(float64, ...string)) {
	for _, p := range feed.Phases() {
		v := 0.0
		if p == r.Phase {
			v = 1
		}
		add(v, p)
	}
}

func addExitCode(r *feed.Run, add func(float64, ...string)) {
	if r.Result != nil {
		add(float64(r.Result.OwnCode()))
	}
}

func addRunResult(r *feed.Run, add func(float64, ...string)) {
	if r.Result == nil {
		return
	}
	if p := r.Result.Performance; p != nil {
		add(float64(p.Metric.Value), p.Metric.Name, p.Metric.Unit)
	}
	if a := r.Result.Accuracy; a != nil {
		for _, m := range a.Metrics {
			add(float64(m.Value), m.Name, m.Unit)
		}
	}
}
