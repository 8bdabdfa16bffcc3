package former_test

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// made is a submission in memory: files by their paths.
type made struct {
	files map[string]string
	rules *mlconf.Rules
	links map[string]string
}

const (
	lab      = "closed/Lab/"
	results  = lab + "results/box/resnet50/"
	measures = lab + "measurements/box/resnet50/"
	audits   = lab + "compliance/box/resnet50/"
)

// makeTree is a submission of one edge system with resnet50, that the checkers of all rounds take.
func makeTree(t *testing.T, round string) *made {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	m := &made{files: map[string]string{}, rules: rules, links: map[string]string{}}
	m.files[lab+"systems/box.json"] = describe("closed")
	m.files[lab+"code/resnet50/run.py"] = "run()\n"
	for i, scenario := range []string{"SingleStream", "MultiStream", "Offline"} {
		at := results + scenario + "/"
		m.run(at+"performance/run_1/", scenario, i, rules.Seeds)
		m.run(at+"accuracy/", scenario, i, rules.Seeds)
		m.files[at+"accuracy/accuracy.txt"] = "accuracy=76.123%, good=38061, total=50000\nhash=ab12\n"
		m.files[at+"accuracy/mlperf_log_accuracy.json"] = "[]\n"
		m.files[measures+scenario+"/box_"+scenario+".json"] = `{"input_data_types": "fp32", "retraining": "N",
			"starting_weights_filename": "a.onnx", "weight_data_types": "int8", "weight_transformations": "none"}`
		m.files[measures+scenario+"/mlperf.conf"] = "*.*.mode = 2\n"
		m.files[measures+scenario+"/user.conf"] = "resnet50.Offline.target_qps = 9\n"
		m.files[measures+scenario+"/README.md"] = "read\n"
		m.audit(audits+scenario+"/", scenario, i)
	}
	return m
}

func (m *made) audit(at, scenario string, i int) {
	for _, test := range []string{"TEST01", "TEST04", "TEST05", "TEST04-A", "TEST04-B"} {
		seeds := m.rules.Seeds
		if test == "TEST05" {
			seeds, _ = m.rules.OtherSeeds()
		}
		m.run(at+test+"/performance/run_1/", scenario, i, seeds)
		m.files[at+test+"/verify_performance.txt"] = "reference score = 1\nTEST PASS\n"
	}
	m.files[at+"TEST01/verify_accuracy.txt"] = "TEST PASS\n"
	m.files[at+"TEST01/accuracy/accuracy.txt"] = "accuracy=76.123%\n"
	m.files[at+"TEST01/accuracy/mlperf_log_accuracy.json"] = "[]\n"
}

// run writes the logs of a run.
func (m *made) run(at, scenario string, i int, seeds mlconf.Seeds) {
	samples := map[string]int{"SingleStream": 1, "MultiStream": 8, "Offline": 30000}[scenario]
	entries := []struct {
		key   string
		value any
	}{
		{"loadgen_version", `"x"`}, {"sut_name", `"sut"`}, {"effective_scenario", `"` + scenario + `"`},
		{"effective_performance_sample_count", 1024}, {"effective_min_query_count", 24576},
		{"effective_min_duration_ms", 600000}, {"effective_samples_per_query", samples},
		{"effective_qsl_rng_seed", seeds.QSL}, {"effective_sample_index_rng_seed", seeds.SampleIndex},
		{"effective_schedule_rng_seed", seeds.Schedule}, {"effective_sample_concatenate_permutation", "false"},
		{"effective_target_latency_ns", 15000000}, {"generated_query_count", 270336}, {"generated_samples_per_query", 8},
		{"power_begin", `"04-02-2021 10:00:00.000"`}, {"power_end", `"04-02-2021 10:10:01.500"`},
		{"result_validity", `"VALID"`}, {"result_query_count", 300000 + i}, {"result_samples_per_second", 1234.5},
		{"result_90.00_percentile_latency_ns", 1100000 + i}, {"result_99.00_percentile_latency_ns", 1400001},
		{"result_99.00_percentile_per_query_latency_ns", 8400001}, {"result_mean_latency_ns", 1000003},
		{"result_mean_query_latency_ns", 8000003}, {"result_qps_without_loadgen_overhead", 999.75},
		{"result_qps_with_loadgen_overhead", 998.25}, {"early_stopping_met", "true"},
		{"early_stopping_latency_ss", 1123457}, {"early_stopping_latency_ms", 8765431},
		{"result_scheduled_samples_per_sec", 77.5}, {"result_completed_samples_per_sec", 76.25},
	}
	var log strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&log, ":::MLLOG {\"key\": %q, \"value\": %v, \"time_ms\": 0.5, \"metadata\": {\"is_error\": false, "+
			"\"is_warning\": false}}\n", e.key, e.value)
	}
	m.files[at+"mlperf_log_detail.txt"] = log.String()
	headline := map[string]string{"SingleStream": "90th percentile latency (ns) : 1100000",
		"MultiStream": "Samples per query : 8", "Offline": "Samples per second: 1234.5"}[scenario]
	called := strings.Replace(strings.Replace(scenario, "Single", "Single ", 1), "Multi", "Multi ", 1)
	m.files[at+"mlperf_log_summary.txt"] = fmt.Sprintf("SUT name : sut\nScenario : %s\nMode     : Performance\n%s\n"+
		"Result is : VALID\n  Min duration satisfied : Yes\n\nQPS w/o loadgen overhead        : 999.75\n"+
		"99.00 percentile latency (ns)   : 1400001\n\nsamples_per_query : %d\ntarget_qps : 9\nmin_duration (ms): 60000\n"+
		"min_query_count : 24576\nqsl_rng_seed : %d\nsample_index_rng_seed : %d\nschedule_rng_seed : %d\n"+
		"performance_sample_count : 1024\n\nNo errors encountered during test.\n", called, headline, samples, seeds.QSL,
		seeds.SampleIndex, seeds.Schedule)
}

// describe is a description of a system of an edge.
func describe(division string) string {
	values := map[string]string{"division": division, "submitter": "Lab", "status": "available", "system_type": "edge",
		"number_of_nodes": "1", "system_name": "Box, the first", "hw_notes": "", "sw_notes": "quiet"}
	var fields []string
	for _, f := range system.Fields() {
		v, ok := values[f.Name]
		if !ok {
			v = "a " + f.Name
		}
		fields = append(fields, fmt.Sprintf("%q: %q", f.Name, v))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// power adds a power measurement to a scenario.
func (m *made) power(scenario string) {
	at := results + scenario + "/performance/"
	var samples strings.Builder
	for i, watts := range []string{"90.0", "100.5", "0.0", "110.25", "95.0"} {
		fmt.Fprintf(&samples, "Time,04-02-2021 10:0%d:00.000,Watts,%s,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1\n", i+3, watts)
	}
	for _, run := range []string{"run_1/", "ranging/"} {
		for _, log := range []string{"mlperf_log_detail.txt", "mlperf_log_summary.txt"} {
			m.files[at+run+log] = m.files[at+"run_1/"+log]
		}
		m.files[at+run+"spl.txt"] = samples.String()
	}
	for _, name := range []string{"client.json", "client.log", "ptd_logs.txt", "server.json", "server.log"} {
		m.files[at+"power/"+name] = `{"timezone": 0}`
	}
	m.files[measures+"analyzer_table.md"] = "a meter\n"
	m.files[measures+scenario+"/power_settings.md"] = "none\n"
}

// value puts another value into a log.
func (m *made) value(log, key, value string) {
	lines := strings.Split(m.files[log], "\n")
	for i, line := range lines {
		head, rest, ok := strings.Cut(line, `"value": `)
		if !ok || !strings.Contains(head, `"key": "`+key+`"`) {
			continue
		}
		_, tail, _ := strings.Cut(rest, `, "time_ms"`)
		if lines[i] = head + `"value": ` + value + `, "time_ms"` + tail; value == "" {
			lines[i] = strings.TrimSuffix(head, ", ") + `, "time_ms"` + tail
		}
	}
	m.files[log] = strings.Join(lines, "\n")
}

// drop removes a file, or a folder.
func (m *made) drop(name string) {
	maps.DeleteFunc(m.files, func(file, _ string) bool { return file == name || strings.HasPrefix(file, name+"/") })
}

// replace puts a text in the place of another, in one file or all of a folder.
func (m *made) replace(name, old, by string) {
	for file, text := range m.files {
		if file == name || strings.HasPrefix(file, name+"/") {
			m.files[file] = strings.ReplaceAll(text, old, by)
		}
	}
}

// move gives a folder another name.
func (m *made) move(from, to string) {
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		if rest, ok := strings.CutPrefix(file, from+"/"); ok {
			m.files[path.Join(to, rest)] = m.files[file]
			delete(m.files, file)
		}
	}
}

// write writes the tree into a new folder.
func (m *made) write(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range m.files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range m.links {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
