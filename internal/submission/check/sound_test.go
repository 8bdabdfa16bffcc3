package check_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// sound is the folder of the one result of the tree that newTree writes: Offline of 3d-unet-99 in a data center.
const sound = "closed/Lab/results/box/3d-unet-99/Offline"

// newTree writes a submission that every rule accepts.
func newTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range soundFiles() {
		put(t, root, name, text)
	}
	return root
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func soundFiles() map[string]string {
	const outputs = "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 7, \"data\" : \"00\" }\n]\n"
	files := map[string]string{
		"closed/Lab/src/README.md":                     "programs",
		"closed/Lab/documentation/calibration.md":      "none",
		"closed/Lab/systems/box.json":                  soundSystem(),
		sound + "/README.md":                           "how it was run",
		sound + "/user.conf":                           "*.Offline.target_qps = 1\n",
		sound + "/measurements.json":                   soundModel(),
		sound + "/accuracy/accuracy.txt":               "Accuracy: mean = 0.86170\nhash=0123456789abcdef\n",
		sound + "/accuracy/mlperf_log_accuracy.json":   outputs,
		sound + "/TEST01/accuracy/" + tree.AccuracyLog: outputs,
		sound + "/TEST01/verify_accuracy.txt":          "num_perf_log_data_mismatch = 0\nTEST PASS\n",
		sound + "/TEST01/verify_performance.txt":       "Reference score = 0.5\nTest score = 0.5\nTEST PASS\n",
	}
	audit := []mllog.DetailEntry{{Key: "effective_accuracy_log_sampling_target", Value: 64},
		{Key: "warning_generic_message", Value: "Found Audit Config file (audit.config).", Warning: true}}
	addRun(files, sound+"/performance/run_1", "PerformanceOnly", "1")
	addRun(files, sound+"/accuracy", "AccuracyOnly", "2")
	addRun(files, sound+"/TEST01/performance/run_1", "PerformanceOnly", "3", audit...)
	return files
}

// addRun adds the logs of a run.
func addRun(files map[string]string, folder, mode, moment string, more ...mllog.DetailEntry) {
	var log []byte
	for _, e := range append(runEntries(mode, moment), more...) {
		log = mllog.AppendDetail(log, e)
	}
	files[folder+"/"+tree.DetailLog] = string(log)
	summary := mllog.Summary{SUTName: "sut", Scenario: "Offline", Mode: mode}
	if mode == "PerformanceOnly" {
		summary.Headline, summary.Result = []mllog.Field{{Label: "Samples per second", Value: "0.5"}}, "VALID"
	}
	var text bytes.Buffer
	if err := mllog.WriteSummary(&text, &summary); err != nil {
		panic(err)
	}
	files[folder+"/"+tree.SummaryLog] = text.String()
}

func runEntries(mode, moment string) []mllog.DetailEntry {
	var list []mllog.DetailEntry
	for _, e := range []struct {
		key   string
		value any
	}{
		{"loadgen_version", "6.0.17 @ d6147c7eb7"}, {"test_datetime", moment}, {"sut_name", "sut"}, {"qsl_name", "qsl"},
		{"effective_scenario", "Offline"}, {"effective_test_mode", mode}, {"effective_samples_per_query", 330},
		{"effective_min_duration_ms", 600000}, {"effective_min_query_count", 1},
		{"effective_qsl_rng_seed", uint64(2085463073848966840)},
		{"effective_sample_index_rng_seed", uint64(2747215439041700203)},
		{"effective_schedule_rng_seed", uint64(16159082839903944936)},
		{"effective_performance_sample_count", 43}, {"effective_accuracy_sample_count", 43},
		{"effective_sample_concatenate_permutation", true},
		{"loaded_qsl_set", []uint64{1, 2, 3}},
		{"power_begin", "11-22-2026 08:00:0" + moment + ".000"}, {"power_end", "11-22-2026 08:11:00.000"},
		{"result_validity", "VALID"}, {"result_min_duration_met", true}, {"result_min_queries_met", true},
		{"result_samples_per_second", 0.5}, {"num_errors", 0},
	} {
		list = append(list, mllog.DetailEntry{Key: e.key, Value: e.value, File: "f"})
	}
	return list
}

func soundSystem() string {
	values := map[string]string{"submitter": "Lab", "division": "closed", "status": "available",
		"system_type":     "datacenter",
		"number_of_nodes": "1", "host_processors_per_node": "1", "accelerators_per_node": "0"}
	return jsonObject(system.Fields(), values)
}

func soundModel() string {
	return jsonObject(system.Measurements(), map[string]string{"retraining": "N"})
}

// jsonObject is a JSON object with all fields.
func jsonObject(fields []system.Field, values map[string]string) string {
	var parts []string
	for _, f := range fields {
		value, ok := values[f.Name]
		if !ok {
			value = "N/A"
		}
		parts = append(parts, fmt.Sprintf("%q: %q", f.Name, value))
	}
	return "{" + strings.Join(parts, ",\n") + "}\n"
}

// run checks a tree by the newest rules.
func run(t *testing.T, root string) *check.Report {
	t.Helper()
	found, err := tree.Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	report, err := check.Run(context.Background(), found, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wantFinding fails the test unless there is such a finding.
func wantFinding(t *testing.T, r *check.Report, severity check.Severity, rule, path, what string) {
	t.Helper()
	if !slices.ContainsFunc(r.Findings, func(f check.Finding) bool {
		return f.Severity == severity && f.Rule == rule && f.Path == path && strings.Contains(f.What+" "+f.Found, what)
	}) {
		t.Errorf("no %s %s %s %q in:\n%s", severity, rule, path, what, texts(r))
	}
}

// wantSame fails the test unless both hold the same texts, in any order.
func wantSame(t *testing.T, got, want []string) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
