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

// Millis is the unit of all latencies.
const Millis = "ms"

// Info describes a figure.
type Info struct {
	Name string // name in conditions: "p99", "ttft.p99", "accuracy.F1"
	// Also contains further names of the same figure in a run: the result of Offline is also "samples_per_second".
	Also  []string
	Title string // name in texts: "99th percentile latency"
	Unit  string // "ms", "samples/s"; empty: a count
	// Better is the direction of improvement. A figure with neither direction, such as the number of queries, does not
	// improve by growing. It is empty for an accuracy recorded by an older harness.
	Better sdk.MetricDirection
	// About explains the figure in a sentence without a full stop.
	About string
	// Formula is the formula of the figure; empty if About contains it. Code names the code that computes it, with its
	// package: "loadgen.Result.SamplesPerSec".
	Formula, Code string
	// Main marks the figures that a comparison shows by default.
	Main bool
	// In lists the scenarios in which the figure has a meaning; nil: all.
	In []string
}

// Means reports whether the figure has a meaning in a scenario. In an unknown scenario all figures have one.
func (i Info) Means(scenario string) bool {
	return i.In == nil || scenario == "" || slices.Contains(i.In, scenario)
}

// Metric is a figure with its value in one run or in several.
type Metric struct {
	Info
	Value float64 // finite
}

// Of returns the figure with a value.
func (i Info) Of(v float64) Metric { return Metric{i, v} }

// Find returns the figure with the given name, ignoring case. The prefix "accuracy." is optional.
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

// accuracy is the prefix of the names of a scorer's metrics.
const accuracy = "accuracy."

// Accuracy describes a metric of a scorer, with the data of the model's manifest.
func Accuracy(name, unit string, better sdk.MetricDirection) Info {
	return Info{Name: accuracy + name, Title: name, Unit: unit, Better: better, Main: true,
		About: "what the benchmark's scorer calls " + name}
}
