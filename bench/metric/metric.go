// Package metric names the figures of a run, so that comparisons and conditions can speak of them.
package metric

import (
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/report"
)

// Better says which way a figure improves.
type Better string

// The ways; of a figure with neither, such as the number of queries, nobody can tell.
const (
	Higher  Better = "higher"
	Lower   Better = "lower"
	Neither Better = ""
)

// Millis is the unit of every latency.
const Millis = "ms"

// Metric is one figure of a run.
type Metric struct {
	Name   string  // what conditions call it: "p99", "ttft.p99", "accuracy.F1"
	Title  string  // what people call it: "99th percentile latency"
	Unit   string  // "ms", "samples/s"; empty: a count
	Better Better  //
	Value  float64 // finite
	// Main marks the figures that a comparison shows; the first of them is the run's result.
	Main bool
}

// Of lists the figures of a run, its result first. One that was not measured, or is not finite, is not listed. A run
// that did not come to its end has none.
func Of(r report.Run) []Metric {
	if r.Status != report.Complete {
		return nil
	}
	l := &list{seen: map[string]bool{}}
	if p := r.Performance; p != nil {
		l.performance(r, *p)
	}
	l.power(r.Power)
	if r.Accuracy != nil {
		l.accuracy(*r.Accuracy)
	}
	return l.metrics
}

// Find returns the figure that a name means, in any case of letters. An accuracy may be named without "accuracy.".
func Find(metrics []Metric, name string) (Metric, bool) {
	for _, wanted := range []string{name, accuracy + name} {
		for _, m := range metrics {
			if strings.EqualFold(m.Name, wanted) {
				return m, true
			}
		}
	}
	return Metric{}, false
}

// list gathers figures, each name once.
type list struct {
	metrics []Metric
	seen    map[string]bool
}

func (l *list) add(m Metric) {
	if key := strings.ToLower(m.Name); !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) && !l.seen[key] {
		l.seen[key] = true
		l.metrics = append(l.metrics, m)
	}
}
