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
	// Better is which way it improves. A figure with neither direction, such as the number of queries, is no better for
	// being larger; of an accuracy that an older harness recorded it is empty.
	Better sdk.MetricDirection
	// About says what it is, in a sentence without a full stop.
	About string
	// Formula is how it is computed; empty where About says it. Code is the name of what computes it, behind the path of
	// its package: "loadgen.Result.SamplesPerSec".
	Formula, Code string
	// Main marks the figures that a comparison shows.
	Main bool
	// In are the scenarios in which the figure means something; nil: all.
	In []string
}

// Means says whether the figure means something in a scenario. Of a scenario that is not known all do.
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

// Find returns the figure that a name means, in any case of letters. An accuracy may be named without "accuracy.".
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
