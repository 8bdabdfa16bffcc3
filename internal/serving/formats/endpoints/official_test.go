package endpoints_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// parser reads folders with the official submission checker's parser, and prints what it found in each.
const parser = `
import json, logging, sys
sys.path.insert(0, sys.argv[1])
from submission_checker.parsers.endpoints_parser import EndpointsParser
logging.disable(logging.CRITICAL)
print(json.dumps([{k: v[0]["value"] for k, v in EndpointsParser(d).get_messages().items()} for d in sys.argv[2:]]))
`

// TestOfficialEndpoints lets the official submission checker's parser read what --also endpoints writes.
func TestOfficialEndpoints(t *testing.T) {
	checkout := os.Getenv("PLUMBLINE_MLC")
	if checkout == "" {
		t.Skip("PLUMBLINE_MLC does not name a checkout with the official submission checker " +
			"(make test-official OF=endpoints)")
	}
	loads := map[string]arrival.Pattern{
		"max_throughput": {Kind: arrival.Maximum, Requests: 1200, Seed: 3},
		"poisson":        {Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 100, Requests: 1200, Seed: 3},
		"concurrency":    {Kind: arrival.Users, Users: 4, Requests: 1200, Seed: 3},
	}
	var names, folders []string
	var summaries []map[string]any
	for name, p := range loads {
		r := users()
		r.Load = p
		r.Requests = nil
		for i := range 1200 {
			at := int64(i) * ms
			r.Requests = append(r.Requests, answer(i, at, at+1000, at+int64(20+i%37)*ms, int64(1+i%7)*ms, 20))
		}
		r.Requests[600].Status = "http_503"
		dir, summary := written(t, r)
		names, folders, summaries = append(names, name), append(folders, dir), append(summaries, summary)
	}
	args := append([]string{"-c", parser, filepath.Join(checkout, "tools", "submission")}, folders...)
	run := exec.Command(python(), args...)
	var errors strings.Builder
	run.Stderr = &errors
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var read []map[string]any
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i, got := range read {
		t.Run(names[i], func(t *testing.T) { readAsWritten(t, names[i], got, summaries[i]) })
	}
}

// found are the parser's names of what stands in the summary.
var found = map[string]string{
	"qsl_reported_total_count": "n_samples_issued", "generated_query_count": "n_samples_issued",
	"generated_query_duration": "duration_ns", "result_completed_samples_per_sec": "qps",
	"result_completed_tokens_per_second": "tps", "result_query_count": "n_samples_completed",
	"num_errors":            "n_samples_failed",
	"result_min_latency_ns": "latency/min", "result_mean_latency_ns": "latency/avg",
	"result_99.00_percentile_latency_ns":               "latency/early_stopping_percentiles/99.0",
	"result_first_token_mean_latency_ns":               "ttft/avg",
	"result_first_token_99.00_percentile_latency_ns":   "ttft/early_stopping_percentiles/99.0",
	"result_time_per_output_token_99.00_percentile_ns": "tpot/early_stopping_percentiles/99.0",
	"result_time_per_output_token_mean":                "tpot/avg",
	"mean_output_tokens":                               "output_sequence_lengths/avg",
	"max_output_tokens":                                "output_sequence_lengths/max",
}

func readAsWritten(t *testing.T, name string, got, summary map[string]any) {
	for key, path := range found {
		var want any = summary
		for _, part := range strings.Split(path, "/") {
			want = want.(map[string]any)[part]
		}
		if want == nil || fmt.Sprint(got[key]) != fmt.Sprint(want) {
			t.Errorf("%s: the parser has %v, written was %v", key, got[key], want)
		}
	}
	scenario := map[string]string{"max_throughput": "offline"}[name]
	if scenario == "" {
		scenario = "online"
	}
	for key, want := range map[string]any{"effective_scenario": scenario, "load_pattern": name, "streaming": "on",
		"effective_schedule_rng_seed": 3.0, "effective_sample_index_rng_seed": 3.0, "effective_min_query_count": 1200.0} {
		if got[key] != want {
			t.Errorf("%s: the parser has %v, want %v", key, got[key], want)
		}
	}
	if name == "poisson" && got["effective_target_qps"] != 100.0 {
		t.Errorf("effective_target_qps: %v", got["effective_target_qps"])
	}
}

// reader lets endpoints itself read folders: the configuration, and the summary that it makes of the snapshot.
const reader = `
import json, logging, pathlib, sys
sys.path.insert(0, sys.argv[1] + "/src")
logging.disable(logging.CRITICAL)
from inference_endpoint.config.schema import BenchmarkConfig
from inference_endpoint.core.record import EventTypeMeta
from inference_endpoint.metrics.report import Report
for d in map(pathlib.Path, sys.argv[2:]):
    c = BenchmarkConfig.from_yaml_file(d / "config.yaml")
    poisson = c.settings.load_pattern.type.value == "poisson"
    snapshot = json.loads((d / "metrics/final_snapshot.json").read_bytes())
    theirs = json.loads(Report.from_snapshot(snapshot, use_legacy_loadgen_qps_metrics=poisson).to_json())
    ours = json.loads((d / "performance/result_summary.json").read_bytes())
    run = c.settings.model_dump(mode="json", include={"load_pattern", "warmup"})
    run["scheduler_random_seed"] = c.settings.runtime.scheduler_random_seed
    run["dataloader_random_seed"] = c.settings.runtime.dataloader_random_seed
    theirs.update(version=ours["version"], git_sha=ours["git_sha"], run_config=run)
    for key in sorted(theirs.keys() | ours.keys()):
        if theirs.get(key) != ours.get(key):
            print(d, key, "theirs:", theirs.get(key), "ours:", ours.get(key))
    for line in (d / "events.jsonl").read_text().splitlines():
        EventTypeMeta.from_topic(json.loads(line)["event_type"])
`

// TestOfficialEndpointsItself lets endpoints' own code read what --also endpoints writes.
func TestOfficialEndpointsItself(t *testing.T) {
	sources := os.Getenv("PLUMBLINE_ENDPOINTS")
	if sources == "" {
		t.Skip("PLUMBLINE_ENDPOINTS does not name the sources of mlcommons/endpoints (make test-official OF=endpoints)")
	}
	args := []string{"-c", reader, sources}
	for _, p := range []arrival.Pattern{{Kind: arrival.Maximum, Requests: 6},
		{Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 100, Requests: 6},
		{Kind: arrival.Users, Users: 4, Requests: 6}} {
		r := users()
		r.Load, r.HasKey = p, true
		for i := range 1200 {
			at := int64(i) * ms
			r.Requests = append(r.Requests, answer(10+i, at, at+1000, at+int64(20+i%37)*ms, int64(1+i%7)*ms/3, 20))
		}
		dir, _ := written(t, r)
		args = append(args, dir)
	}
	out, err := exec.Command(python(), args...).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%.3000s", err, out)
	}
}

// python is the program that PYTHON names.
func python() string {
	if p := os.Getenv("PYTHON"); p != "" {
		return p
	}
	return "python3"
}
