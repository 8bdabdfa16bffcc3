package result

import (
	"errors"
	"fmt"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"math"
)

// Change is the difference of a metric between the accuracy run and an audit's run, in percent of the audit's value.
type Change struct {
	Metric               string
	Baseline, Compliance float64
	Percent, MaxPercent  float64 // found and permitted
}

// Within reports whether the difference is permitted.
func (c Change) IsPermitted() bool { return c.Percent <= c.MaxPercent }

// CompareMetrics compares the metrics in two outputs of an accuracy script: for the accuracy run's answers to the
// samples of a TEST01 audit, and for the audit's own answers. Of several lines of a metric, the last counts. The error
// names metrics that are missing in one output or zero.
func CompareMetrics(rules *mlconf.Rules, model, scenario, baseline, compliance string) ([]Change, error) {
	var list []Change
	var faults []error
	for _, target := range rules.Targets(model, scenario) {
		if target.Upper {
			continue
		}
		a, err := lastValue(target.Metric, baseline)
		b, err2 := lastValue(target.Metric, compliance)
		if err := errors.Join(prefixError("baseline", err), prefixError("compliance", err2)); err != nil {
			faults = append(faults, err)
			continue
		}
		list = append(list, Change{target.Metric, a, b, PercentDifference(a, b), rules.DeltaPercent(model, target.Metric)})
	}
	if len(list)+len(faults) == 0 {
		faults = append(faults, fmt.Errorf("the rules know no accuracy for %s", model))
	}
	return list, errors.Join(faults...)
}

// PercentDifference returns the difference of two accuracies in percent, by the submission checker's formula.
func PercentDifference(baseline, compliance float64) float64 {
	return math.Abs(1-baseline/compliance) * 100
}

func prefixError(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s accuracy: %w", text, err)
}

func lastValue(metric, text string) (float64, error) {
	if !IsFormKnown(metric) {
		return 0, fmt.Errorf("it is not known how accuracy scripts print %s", metric)
	}
	v, found, err := lastMetricValue(metric, text)
	if err != nil {
		return 0, err
	}
	switch {
	case !found:
		return 0, fmt.Errorf("%s is missing", metric)
	case v == 0:
		return 0, fmt.Errorf("%s is 0, with which nothing can be compared", metric)
	}
	return v, nil
}
