// Package metric is the registry of figures, with the name, title, unit, direction and meaning of each. Records,
// comparisons, conditions, reports, the live view and the exports to monitoring systems use these names and
// descriptions.
//
// In scope: names, titles, units, directions, meanings. Out of scope: reading a figure from a run's record (package
// record) or from a run in progress (cmd/harness).
package metric

import (
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Millis is the unit of every latency.
const Millis = "ms"

// Info describes a figure.
type Info struct {
	Name string // what conditions call it: "p99", "ttft.p99", "accuracy.F1"
	// Also are further names of the same figure in a run: the result of Offline is "samples_per_second", too.
	Also  []string
	Title string // what people call it: "99th percentile latency"
	Unit  string // "ms", "samples/s"; empty: a count
	// Better is the direction of improvement. A figure with neither direction, such as the number of queries, does not
	// improve by growing. It is empty for an accuracy recorded by an older harness.
	Better sdk.MetricDirection
	// About explains the figure in a sentence without a full stop.
	About string
	// Formula is how it is computed; empty where About says it. Code is the name of what computes it, behind the path of
	// its package: "loadgen.Result.SamplesPerSec".
	Formula, Code string
	// Main marks the figures that a comparison shows.
	Main bool
	// In are the scenarios in which the figure means something; nil: all.
	In []string
}

// Means reports whether the figure has a meaning in a scenario. In an unknown scenario all figures do.
func (i Info) Means(scenario string) bool {
	return i.In == nil || scenario == "" || slices.Contains(i.In, scenario)
}

// Metric is one figure of a run, or of several.
type Metric struct {
	Info
	Value float64 // finite
}

// Of is the figure with a value.
func (i Info) Of(v float64) Metric { return Metric{i, v} }

// Find returns the figure of a name, ignoring case. An accuracy may be named without "accuracy.".
func Find(metrics []Metric, name string) (Metric, bool) {
	for _, wanted := range []string{name, accuracy + name} {
		for _, m := range metrics {
			if strings.EqualFold(m.Name, wanted) || slices.ContainsFunc(m.Also, func(also string) bool {
				return strings.EqualFold(also, wanted)
			}) {
				return m, true
			}
		}
	}
	return Metric{}, false
}

// accuracy begins the names of what a scorer measured.
const accuracy = "accuracy."

// Accuracy is a figure of a scorer, as the model's manifest describes it.
func Accuracy(name, unit string, better sdk.MetricDirection) Info {
	return Info{Name: accuracy + name, Title: name, Unit: unit, Better: better, Main: true,
		About: "what the benchmark's scorer calls " + name}
}
