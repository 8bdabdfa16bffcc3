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
	Official string  `json:"official"` // its name in the rules' targets: "acc", "ROUGE1"; empty: it is none
	Unit     *string `json:"unit"`     // nil: the official one's, else none
}

// metricInfo is the entry with what its row says.
func (e MetricEntry) metricInfo() (sdk.MetricInfo, error) {
	m := e.MetricInfo
	if e.Official != "" {
		row, err := mlconf.AccuracyMetricOf(e.Official)
		if err != nil {
			return m, fmt.Errorf("metric %q: %w", m.Name, err)
		}
		m.Unit = row.Unit
		if way := sdk.MetricDirection(row.Better); m.Better == "" &&
			way != sdk.HigherBetter { // which is what an empty one means
			m.Better = way
		}
	}
	if e.Unit != nil {
		m.Unit = *e.Unit
	}
	return m, nil
}

// completeMetrics takes over the model's metrics. A model whose result has the form of the endpoints harness needs a
// way to be scored there: that of its first metric, if it is an official one.
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
