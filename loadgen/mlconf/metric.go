package mlconf

import (
	"cmp"
	"strings"
)

// Metric is how a round reads a scenario's result from a log and names it.
type Metric struct {
	Key       string // of the detail log
	Unit      string // "Samples/s", "Tokens/s", "Queries/s", "Tasks/s", "Latency (ms)", "Latency (s)", "Streams"
	PowerUnit string // "Watts", or of the streams "millijoules" for a query

	latency, seconds bool
}

// Value is the result of a log's number: latencies are logged in nanoseconds.
func (m Metric) Value(logged float64) float64 {
	if m.latency {
		logged /= 1e6
	}
	if m.seconds {
		logged /= 1e3
	}
	return logged
}

// metricTable is where models differ from commonMetric.
type metricTable struct {
	// Keys are by table, model and the log's scenario; the model "*" is for those without a key of their own.
	Keys map[string]map[string]map[string]string `json:"keys"`
	// Units are those of tables from v5.0 on; before, the key says what is counted.
	Units map[string]map[string]string `json:"units"`
}

// allModels is the name of the keys of all models in the table of keys.
const allModels = "*"

// streams is the key of the result of MultiStream up to v1.1: how many streams were served.
const streams = "effective_samples_per_query"

// Metric is that of a model and scenario. The key is that of a log of this scenario; a log of an Interactive run says
// Server, and has the same key. ok is false where the scenario or the round's metrics are not known.
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
		return m.ofKey(), true
	}
	m.Unit = cmp.Or(r.metrics.Units[model][scenario], m.Unit)
	m.seconds = m.latency && model == "wan-2.2-t2v-a14b"
	return m, true
}

// ofKey has the unit that the key names.
func (m Metric) ofKey() Metric {
	switch {
	case strings.Contains(m.Key, "tokens"):
		m.Unit = "Tokens/s"
	case m.Key == streams:
		m.Unit, m.latency = "Streams", false
	}
	return m
}

// HasStreams says whether the result of MultiStream is a number of streams, as before v2.0: nothing is inferred of it.
func (r *Rules) HasStreams() bool {
	m, _ := r.Metric("", "MultiStream")
	return m.Key == streams
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
