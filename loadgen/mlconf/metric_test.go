package mlconf_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
)

func TestMetric(t *testing.T) {
	for _, c := range []struct {
		round, model, scenario, key, unit string
		logged, value                     float64
	}{
		{"v6.1", "resnet50", "SingleStream", "early_stopping_latency_ss", "Latency (ms)", 71167025, 71.167025},
		{"v6.1", "llama3_1-8b", "Interactive", "result_completed_tokens_per_second", "Tokens/s", 12, 12},
		{"v5.0", "llama3.1-8b", "Offline", "result_samples_per_second", "Tokens/s", 12, 12},
		{"v5.0", "gptj-99", "Offline", "result_inferred_tokens_per_second", "Samples/s", 12, 12},
		{"v6.1", "wan-2.2-t2v-a14b", "SingleStream", "early_stopping_latency_ss", "Latency (s)", 2e9, 2},
		{"v4.1", "llama2-70b-99", "Server", "result_completed_tokens_per_second", "Tokens/s", 12, 12},
		{"v4.1", "resnet50", "Server", "result_completed_samples_per_sec", "Queries/s", 12, 12},
		{"v4.0", "llama2-70b-99.9", "Server", "result_completed_samples_per_sec", "Queries/s", 12, 12},
		{"v4.0", "llama2-70b-99.9", "Offline", "result_tokens_per_second", "Tokens/s", 12, 12},
		{"v3.1", "gptj-99", "Server", "result_scheduled_samples_per_sec", "Queries/s", 12, 12},
		{"v2.0", "ssd-mobilenet", "MultiStream", "early_stopping_latency_ms", "Latency (ms)", 12e6, 12},
		{"v1.1", "bert-99", "SingleStream", "result_90.00_percentile_latency_ns", "Latency (ms)", 12e6, 12},
		{"v0.7", "resnet50", "MultiStream", "effective_samples_per_query", "Streams", 12, 12},
		{"v0.5", "gnmt", "Offline", "result_samples_per_second", "Samples/s", 12, 12},
		{"v6.1", "other", "Server", "result_completed_samples_per_sec", "Queries/s", 3, 3},
	} {
		m, ok := rules(t, c.round).Metric(c.model, c.scenario)
		if !ok || m.Key != c.key || m.Unit != c.unit || m.Value(c.logged) != c.value {
			t.Errorf("%+v: %+v, %v", c, m, m.Value(c.logged))
		}
	}
	if _, ok := rules(t, "v6.1").Metric("resnet", "offline"); ok {
		t.Error("a metric of a scenario in lower case")
	}
}

func TestGoldenUnits(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "submission", "tables", "units.json"))
	if err != nil {
		t.Fatal(err)
	}
	var units map[string]map[string]map[string]struct {
		Key       string  `json:"metric_key"`
		Divide    float64 `json:"divide_by"`
		Unit      string
		PowerUnit string `json:"power_unit"`
	}
	if err := json.Unmarshal(text, &units); err != nil {
		t.Fatal(err)
	}
	for round, models := range units {
		r := rules(t, round)
		for model, scenarios := range models {
			for scenario, want := range scenarios {
				m, ok := r.Metric(model, scenario)
				if !ok || m.Key != want.Key || m.Value(want.Divide) != 1 || m.Unit != want.Unit ||
					m.PowerUnit != want.PowerUnit {
					t.Errorf("%s %s %s: %+v, want %+v", round, model, scenario, m, want)
				}
			}
		}
	}
}
