package manifest

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// MetricEntry is a metric of a model. For an official metric, the rules' row provides the values, and the entry
// overrides them.
type MetricEntry struct {
	sdk.MetricInfo
	Official string  `json:"official"` // name in the rules' targets: "acc", "ROUGE1"; empty: not official
	Unit     *string `json:"unit"`     // nil: the official metric's unit, or none
}

// metricInfo returns the entry completed from the rules' row.
func (e MetricEntry) metricInfo() (sdk.MetricInfo, error) {
	m := e.MetricInfo
	if e.Official != "" {
		row, err := mlconf.AccuracyMetricOf(e.Official)
		if err != nil {
			return m, fmt.Errorf("metric %q: %w", m.Name, err)
		}
		m.Unit = row.Unit
		if way := sdk.MetricDirection(row.Better); m.Better == "" &&
			way != sdk.HigherBetter { // the meaning of an empty direction
			m.Better = way
		}
	}
	if e.Unit != nil {
		m.Unit = *e.Unit
	}
	return m, nil
}

// completeMetrics completes the model's metrics. If the model's result has the form of the endpoints harness, it also
// requires a scoring method of that harness: that of the first official metric.
func (e *ModelEntry) completeMetrics() error {
	var faults []error
	for _, entry := range e.MetricEntries {
		m, err := entry.metricInfo()
		faults = append(faults, err)
		e.Metrics = append(e.Metrics, m)
	}
	if e.Endpoints.MaxTokens > 0 && len(e.MetricEntries) > 0 && e.MetricEntries[0].Official != "" {
		row, err := mlconf.AccuracyMetricOf(e.MetricEntries[0].Official)
		if err == nil && row.Endpoints == nil {
			faults = append(faults, fmt.Errorf("endpoints: that harness has no method for %s, the first metric", row.Name))
		}
	}
	return errors.Join(faults...)
}
