package mlconf

import (
	"cmp"
	"strings"
)

// Metric describes how a round reads a scenario's result from a log and what it is called.
type Metric struct {
	Key       string // key in the detail log
	Unit      string // "Samples/s", "Tokens/s", "Queries/s", "Tasks/s", "Latency (ms)", "Latency (s)", "Streams"
	PowerUnit string // "Watts", or "millijoules" per query in stream scenarios

	latency, seconds bool
}

// Value converts a number in the log to the result. The log contains latencies in nanoseconds.
func (m Metric) Value(logged float64) float64 {
	if m.latency {
		logged /= 1e6
	}
	if m.seconds {
		logged /= 1e3
	}
	return logged
}

// metricTable lists the models that differ from commonMetric.
type metricTable struct {
	// Keys contains the log keys by table, model and the log's scenario. The model "*" stands for models without their own
	// key.
	Keys map[string]map[string]map[string]string `json:"keys"`
	// Units contains the units of the tables from v5.0 on. Before, the key determines the unit.
	Units map[string]map[string]string `json:"units"`
}

// allModels is the entry for all models in the table of keys.
const allModels = "*"

// streamsKey is the key of MultiStream's result up to v1.1: the number of served streams.
const streamsKey = "effective_samples_per_query"

// Metric returns the metric of a model and scenario. The key is that of a log of this scenario. The log of an
// Interactive run says Server and contains the same key. ok is false if the scenario or the round's metrics are
// unknown.
func (r *Rules) Metric(model, scenario string) (m Metric, ok bool) {
	m, ok = commonMetric(scenario)
	if !ok || r.data.Features.Metrics == "" {
		return Metric{}, false
	}
	model = r.Canonical(model)
	logged := scenario
	if scenario == Interactive {
		logged = "Server"
	}
	keys := r.metrics.Keys[r.data.Features.Metrics]
	m.Key = cmp.Or(keys[model][logged], keys[allModels][logged], m.Key)
	if layout, _ := r.Layout(); layout.Only != ToMake {
		return m.withKeyUnit(), true
	}
	m.Unit = cmp.Or(r.metrics.Units[model][scenario], m.Unit)
	m.seconds = m.latency && model == "wan-2.2-t2v-a14b"
	return m, true
}

// withKeyUnit returns the metric with the unit that follows from its key.
func (m Metric) withKeyUnit() Metric {
	switch {
	case strings.Contains(m.Key, "tokens"):
		m.Unit = "Tokens/s"
	case m.Key == streamsKey:
		m.Unit, m.latency = "Streams", false
	}
	return m
}

// HasStreams reports whether MultiStream's result is a number of streams, as before v2.0. Other results cannot be
// inferred from it.
func (r *Rules) HasStreams() bool {
	m, _ := r.Metric("", "MultiStream")
	return m.Key == streamsKey
}

func commonMetric(scenario string) (m Metric, ok bool) {
	switch scenario {
	case "Offline":
		return Metric{Key: "result_samples_per_second", Unit: "Samples/s", PowerUnit: "Watts"}, true
	case "SingleStream":
		return Metric{Key: "early_stopping_latency_ss", Unit: "Latency (ms)", PowerUnit: "millijoules", latency: true}, true
	case "MultiStream":
		return Metric{Key: "early_stopping_latency_ms", Unit: "Latency (ms)", PowerUnit: "millijoules", latency: true}, true
	case "Server", Interactive:
		return Metric{Key: "result_completed_samples_per_sec", Unit: "Queries/s", PowerUnit: "Watts"}, true
	}
	return Metric{}, false
}
