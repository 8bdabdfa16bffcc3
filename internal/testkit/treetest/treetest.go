// Package treetest writes made-up submissions of a round for tests: small trees in which the round's official checker
// finds a result in every folder.
//
// In scope: a few properties of each result. Out of scope: verdicts on the tree.
package treetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	fields "github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Result is a result of a tree. Benchmark, Scenario and Value have no defaults. The comments of the other fields state
// their defaults.
type Result struct {
	Division     string // closed
	Submitter    string // Lab
	System       string // box
	SystemType   string // edge
	Status       string // available
	Accelerator  string // empty: none
	Accelerators int    // on each node
	Nodes        int    // 1
	Benchmark    string // name of a folder that the rules know: "resnet50"
	Scenario     string
	Value        float64 // published value: per second, or milliseconds
	Watts        float64 // 0: power was not measured
	Accuracy     float64 // value of the first metric; 0: twice the target
}

// Write writes the results of a round below root. A benchmark of the closed division requires all scenarios of its
// rules, so Write adds missing ones with the same value.
func Write(t testing.TB, root, round string, results ...Result) {
	t.Helper()
	layout, err := tree.LayoutOf(round)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		w := writer{t: t, root: root, rules: rules, layout: layout, Result: r.withDefaults()}
		w.model, _ = rules.ModelOf(r.Benchmark, nil)
		w.writeResult()
	}
}

func (r Result) withDefaults() Result {
	for field, value := range map[*string]string{
		&r.Division: tree.DivisionClosed, &r.Submitter: "Lab", &r.System: "box", &r.SystemType: "edge",
		&r.Status: "available",
	} {
		if *field == "" {
			*field = value
		}
	}
	r.Nodes = max(r.Nodes, 1)
	return r
}

type writer struct {
	Result
	t      testing.TB
	root   string
	rules  *mlconf.Rules
	layout tree.Layout
	model  string
}

func (w writer) place() tree.Place {
	return tree.Place{Division: w.Division, Submitter: w.Submitter, System: w.System, Benchmark: w.Benchmark,
		Scenario: w.Scenario}
}

// writeResult writes a result and, in the closed division, the other scenarios that the rules require.
func (w writer) writeResult() {
	w.writeSystem()
	w.put(path.Join(w.layout.SourceDir(w.place()), tree.Readme), "programs\n")
	scenarios := []string{w.Scenario}
	if kind, ok := fields.ParseType(w.SystemType); ok && w.Division == tree.DivisionClosed {
		for _, name := range w.rules.RequiredScenarios(w.model, kind) {
			if _, err := os.Stat(filepath.Join(w.root, w.place().Folder(), "results", w.System, w.Benchmark, name)); err != nil {
				scenarios = append(scenarios, name)
			}
		}
	}
	for _, name := range scenarios {
		if w.Scenario = name; name != scenarios[0] {
			w.Watts = 0
		}
		w.writeFolder()
	}
}

// writeFolder writes the folder of one scenario.
func (w writer) writeFolder() {
	p := w.place()
	log := w.performanceLog()
	w.writeLogs(p.Run(), log)
	if w.Watts > 0 {
		w.writePower()
	}
	count := w.rules.AccuracySampleCount(w.model, w.Scenario)
	w.writeLogs(p.Accuracy(), entries("effective_scenario", w.Scenario, "effective_test_mode", "AccuracyOnly",
		"effective_qsl_rng_seed", w.rules.Seeds.QSL, "effective_accuracy_sample_count", count,
		"qsl_reported_total_count", count, "power_begin", begin, "power_end", end))
	w.put(path.Join(p.Accuracy(), tree.AccuracyLog), "[]\n")
	w.put(path.Join(p.Accuracy(), tree.AccuracyText), w.accuracyText())
	w.put(w.layout.MeasurementsFile(p), object(map[string]any{}, fields.Measurements()))
	w.put(path.Join(w.layout.Measurements(p), tree.UserConf), "\n*.Offline.target_qps = 1\n")
	w.put(path.Join(w.layout.Measurements(p), tree.Readme), "measured\n")
	if w.Division == tree.DivisionClosed {
		for _, test := range w.rules.Audits(w.model) {
			w.writeAudit(test, log)
		}
	}
}

// The beginning and the end of every run, in the form of the logs, and times within it in the form of the meter.
const (
	begin  = "11-22-2026 08:46:00.000"
	end    = "11-22-2026 08:56:00.000"
	within = "11-22-2026 08:5%d:00.000"
)

// performanceLog returns the detail log of the performance run.
func (w writer) performanceLog() string {
	logged := w.Scenario
	if logged == "Interactive" {
		logged = "Server"
	}
	m, ok := w.rules.Metric(w.model, w.Scenario)
	if !ok {
		w.t.Fatalf("round %s has no metric of %s in %s", w.rules.Name, w.model, w.Scenario)
	}
	value := w.Value / m.Value(1)
	return entries("loadgen_version", fmt.Sprintf("%d.0 @ 0000000", w.rules.LoadGenMajor()), "sut_name", w.sut(),
		"power_begin", begin, "effective_scenario", logged, "effective_test_mode", "PerformanceOnly",
		"effective_samples_per_query", w.rules.OfflineSamples(w.model), "effective_min_duration_ms", 600000,
		"effective_min_query_count", w.rules.MinQueries(w.model, logged),
		"effective_performance_sample_count", w.rules.PerformanceSampleCount(w.model),
		"effective_target_latency_ns", w.rules.LatencyLimit(w.model, logged).Nanoseconds(),
		"effective_qsl_rng_seed", w.rules.Seeds.QSL, "effective_sample_index_rng_seed", w.rules.Seeds.SampleIndex,
		"effective_schedule_rng_seed", w.rules.Seeds.Schedule, "requested_use_token_latencies", w.rules.UsesTokens(w.model),
		"result_validity", "VALID", "result_query_count", 270336, "early_stopping_met", true,
		"result_99.00_percentile_latency_ns", 1, "result_first_token_99.00_percentile_latency_ns", 1,
		"result_time_per_output_token_99.00_percentile_ns", 1, "result_mean_latency_ns", 1e6,
		"result_samples_per_second", w.Value, "result_completed_samples_per_sec", w.Value,
		"result_scheduled_samples_per_sec", w.Value, "early_stopping_latency_ss", 1e6, "early_stopping_latency_ms", 1e6,
		m.Key, value, "power_end", end)
}

func (w writer) sut() string {
	if w.Division == tree.DivisionNetwork {
		return "Network SUT"
	}
	return "PySUT"
}

// writePower writes the files of a power measurement.
func (w writer) writePower() {
	p := w.place()
	var samples strings.Builder
	for i := range 5 {
		fmt.Fprintf(&samples, "Time,"+within+",Watts,%g,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1\n", i, w.Watts)
	}
	for _, dir := range []string{p.Run(), p.Ranging()} {
		w.writeLogs(dir, w.performanceLog())
		w.put(path.Join(dir, tree.PowerSamples), samples.String())
	}
	for _, name := range tree.PowerFiles() {
		w.put(path.Join(p.Power(), name), "{}\n")
	}
}

func (w writer) writeAudit(test, log string) {
	dir := w.layout.Audit(w.place(), test)
	files := tree.FilesOf(test)
	for _, name := range files.Verdicts {
		w.put(path.Join(dir, name), "TEST PASS\nFirst token check pass: True\nEOS check pass: True\n"+
			"Sample length check pass: True\n")
	}
	if files.Performance {
		w.writeLogs(path.Join(dir, tree.PerformanceDir, tree.RunDir), log)
	}
	if files.Accuracy {
		w.put(path.Join(dir, tree.AccuracyDir, tree.AccuracyLog), "[]\n")
	}
}

// writeLogs writes the logs of a run.
func (w writer) writeLogs(dir, detail string) {
	w.put(path.Join(dir, tree.DetailLog), detail)
	w.put(path.Join(dir, tree.SummaryLog), fmt.Sprintf("qsl_rng_seed : %d\n", w.rules.Seeds.QSL))
}

// accuracyText returns the output of the accuracy scripts.
func (w writer) accuracyText() string {
	var b strings.Builder
	for i, t := range w.rules.Targets(w.model, w.Scenario) {
		v := 2 * t.Value
		if t.Metric == "TOKENS_PER_SAMPLE" {
			v = t.Value
		}
		if i == 0 && w.Accuracy > 0 {
			v = w.Accuracy
		}
		form := map[string]string{"acc": "accuracy=%.4f%%, good=1\n", "DICE": "Accuracy: mean = %.5f\n",
			"mAP": "mAP=%.4f%%\n", "AUC": "AUC=%.4f%%\n", "F1": `{"exact_match": 80.0, "f1": %.4f}` + "\n"}[t.Metric]
		if form == "" {
			form = "{'" + strings.ToLower(t.Metric) + "': %.4f}\n"
		}
		if !t.Upper {
			fmt.Fprintf(&b, form, v)
		}
	}
	return b.String() + "hash=00\n"
}

func (w writer) writeSystem() {
	values := map[string]any{
		"submitter": w.Submitter, "division": w.Division, "status": w.Status, "system_type": w.SystemType,
		"system_name": w.System + " of " + w.Submitter, "number_of_nodes": fmt.Sprint(w.Nodes),
		"accelerators_per_node": fmt.Sprint(w.Accelerators), "accelerator_model_name": w.Accelerator,
		"host_processor_model_name": "CPU 1",
	}
	required := fields.Fields()
	if w.Division == tree.DivisionNetwork {
		values["is_network"] = "true"
		required = append(required, fields.NetworkFields()...)
	}
	w.put(w.place().SystemFile(), object(values, required))
}

// object returns a JSON object with the values, and with defaults for other required fields.
func object(values map[string]any, required []fields.Field) string {
	all := map[string]any{}
	for _, f := range required {
		all[f.Name] = "1"
	}
	maps.Copy(all, values)
	if all["accelerator_model_name"] == "" {
		all["accelerator_model_name"] = "N/A"
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // cannot happen for strings
	}
	return string(text) + "\n"
}

// entries returns a detail log with keys and values. If a key occurs twice, the last value counts.
func entries(list ...any) string {
	values := map[string]any{}
	var keys []string
	for pair := range slices.Chunk(list, 2) {
		key := fmt.Sprint(pair[0])
		if _, known := values[key]; !known {
			keys = append(keys, key)
		}
		values[key] = pair[1]
	}
	var b strings.Builder
	for _, key := range keys {
		text, err := json.Marshal(values[key])
		if err != nil {
			panic(err) // cannot happen for numbers and texts
		}
		fmt.Fprintf(&b, ":::MLLOG {\"key\": %q, \"value\": %s, \"time_ms\": 1.000000, \"namespace\": \"mlperf::logging\", "+
			"\"event_type\": \"POINT_IN_TIME\", \"metadata\": {\"is_error\": false, \"is_warning\": false, \"file\": \"x.cc\", "+
			"\"line_no\": 1, \"pid\": 1, \"tid\": 1}}\n", key, text)
	}
	return b.String()
}

func (w writer) put(name, text string) {
	w.t.Helper()
	file := filepath.Join(w.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}
