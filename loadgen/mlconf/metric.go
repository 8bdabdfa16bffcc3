package mlconf

// Metric is how the rounds since v5.0 read a scenario's result from a log and name it.
type Metric struct {
	Key       string // of the detail log
	Unit      string // "Samples/s", "Tokens/s", "Queries/s", "Tasks/s", "Latency (ms)", "Latency (s)"
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
	Keys  map[string]map[string]map[string]string `json:"keys"` // by table, model and the log's scenario
	Units map[string]map[string]string            `json:"units"`
}

// HasMetrics says whether the metrics of the round are known: of v5.0 and later.
func (r *Rules) HasMetrics() bool { return r.data.Features.Metrics != "" }

// Metric is that of a model and scenario. The key is that of a log of this scenario; a log of an Interactive run says
// Server, and has the same key. ok is false where the scenario or the round's metrics are not known.
func (r *Rules) Metric(model, scenario string) (m Metric, ok bool) {
	m, ok = commonMetric(scenario)
	if !ok || !r.HasMetrics() {
		return Metric{}, false
	}
	model = r.Canonical(model)
	logged := scenario
	if scenario == Interactive {
		logged = "Server"
	}
	if key := r.metrics.Keys[r.data.Features.Metrics][model][logged]; key != "" {
		m.Key = key
	}
	if unit := r.metrics.Units[model][scenario]; unit != "" {
		m.Unit = unit
	}
	m.seconds = m.latency && model == "wan-2.2-t2v-a14b"
	return m, true
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
