package result

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// JudgeAccuracy judges the output of an accuracy script by a round's targets for a model in a scenario. If the round
// has no targets for the model, or the text contains none of their metrics, the verdict has no targets. It returns an
// error if a value is not a number.
func JudgeAccuracy(rules *mlconf.Rules, model, scenario, text string) (judge.Verdict, error) {
	v := judge.Verdict{Outcome: judge.Informational, Basis: "no target: " + rules.Name + " has none of " + model}
	targets := rules.Targets(model, scenario)
	var missing []string
	for _, t := range targets {
		at, found, err := lastMetricValue(t.Metric, text)
		if err != nil {
			return v, err
		}
		if !found {
			missing = append(missing, t.Metric)
			continue
		}
		v.Metrics = mergeTarget(v.Metrics, t, at)
	}
	if len(targets) == 0 {
		return v, nil
	}
	v.Basis, v.Outcome = "the closed division's targets of "+rules.Name+", by accuracy.txt", judge.Pass
	if len(missing) > 0 {
		v.Outcome = judge.Informational
		v.Basis += "; not judged, because it says nothing of them: " + strings.Join(missing, ", ")
	}
	for _, m := range v.Metrics {
		if m.Outcome != judge.Pass {
			v.Outcome = m.Outcome
		}
	}
	return v, nil
}

// lastMetricValue returns the last value of a metric in the text, like the submission checkers.
func lastMetricValue(metric, text string) (v float64, found bool, err error) {
	for line := range strings.Lines(text) {
		value, ok := ParseAccuracy(metric, line)
		if !ok {
			continue
		}
		if v, err = strconv.ParseFloat(pyfloat.ToASCIIDigits(value), 64); err != nil {
			return 0, false, fmt.Errorf("%s is %q, want a number", metric, value)
		}
		found = true
	}
	return v, found, nil
}

// mergeTarget judges a value by a target. It merges the minimum and the maximum of a metric into one entry.
func mergeTarget(list []judge.Metric, t mlconf.Target, v float64) []judge.Metric {
	at := slices.IndexFunc(list, func(m judge.Metric) bool { return m.Name == t.Metric })
	if at < 0 {
		at = len(list)
		list = append(list, judge.Metric{Name: t.Metric, Value: figure.Number(v), Rounded: figure.Round(v),
			Outcome: judge.Pass})
	}
	m := &list[at]
	limit := figure.Number(t.Value)
	if t.Upper {
		m.Upper = limit
	} else {
		m.Target = limit
	}
	switch {
	case math.IsNaN(v), !t.Upper && v < t.Value:
		m.Outcome, m.Text = judge.Below, fmt.Sprintf("%s %s is below %s", t.Metric, m.Rounded, figure.Round(t.Value))
	case t.Upper && v > t.Value:
		m.Outcome, m.Text = judge.Above, fmt.Sprintf("%s %s is above %s", t.Metric, m.Rounded, figure.Round(t.Value))
	}
	return list
}
