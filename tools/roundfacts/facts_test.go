package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	for path, want := range map[string]logPlace{
		"closed/X/results/s/resnet50/Offline/performance/run_1/f":     {model: "resnet50"},
		"closed/X/results/s/ResNet/SingleStream/accuracy/f":           {model: "resnet", accuracy: true},
		"closed/X/compliance/s/bert-99/Server/TEST01/accuracy/f":      {model: "bert-99", audit: "TEST01", accuracy: true},
		"closed/X/results/s/gnmt/offline/test_4b/performance/f":       {model: "gnmt", audit: "TEST04-B"},
		"closed/X/results/s/llama2-70b-99/Interactive/performance/f":  {model: "llama2-70b-99", interactive: true},
		"closed/X/results/s/yolo-99/singlestream/TEST01/f":            {model: "yolo-99", audit: "TEST01"},
		"closed/X/audit/s/mobilenet/Multi-Stream/TEST04-A/run_1/f":    {model: "mobilenet", audit: "TEST04-A"},
		"open/X/results/s/resnet50/Offline/performance/run_1/f":       {},
		"closed/X/measurements/s/resnet50/user.conf":                  {},
		"closed/X/results/s/resnet50/Offline":                         {},
		"closed/X/results/Offline/performance/run_1/mlperf_log_trace": {},
	} {
		if got, ok := placeOf(path); got != want || ok != (want.model != "") {
			t.Errorf("%s: %+v, %t", path, got, ok)
		}
	}
}

const (
	oldSummary = "SUT name : X\nScenario : Single Stream\nMode     : Performance\nResult is : VALID\n\n" +
		"target_latency (ns): 0\nmin_duration (ms): 60000\nmin_query_count : 1024\nqsl_rng_seed : 7\nsamples_per_query : 1\n"
	oldDetail = "\"pid\": 3, \"tid\": 3, \"ts\": 9ns : version : .5a1 @ 33ff466d0a\n" +
		"\"pid\": 3, \"tid\": 3, \"ts\": 9ns : QSL total size: 50000\n" +
		"\"pid\": 3, \"tid\": 3, \"ts\": 9ns : Requested Settings:\n" +
		"\"pid\": 3, \"tid\": 3, \"ts\": 9ns : target_latency_percentile : 0.5\n" +
		"\"pid\": 3, \"tid\": 3, \"ts\": 9ns : Effective Settings:\n" +
		"\"pid\": 3, \"tid\": 3, \"ts\": 9ns : target_latency_percentile : 0.9\n"
	newSummary = "Scenario : Server\nMode     : PerformanceOnly\nResult is : VALID\nperformance_issue_same : 0\n"
	newDetail  = `:::MLLOG {"key": "loadgen_version", "value": "5.1 @ 1", "time_ms": 0.1}` + "\n" +
		`:::MLLOG {"key": "requested_server_ttft_latency", "value": 2000000000, "time_ms": 0.1}` + "\n" +
		`:::MLLOG {"key": "requested_min_query_count", "value": 5, "time_ms": 0.1}` + "\n" +
		`:::MLLOG {"key": "effective_min_query_count", "value": 100, "time_ms": 0.1}` + "\n"
)

func TestReadsBothForms(t *testing.T) {
	r := readRun([]byte(oldDetail), []byte(oldSummary))
	want := map[string]string{"min_duration_ms": "60000", "target_latency_percentile": "0.9", "loadgen_version": ".5",
		"qsl_reported_total_count": "50000", "target_latency_ns": "0", "qsl_rng_seed": "7"}
	checkRun(t, r, "SingleStream", "Performance", want)
	r = readRun([]byte(newDetail), []byte(newSummary))
	checkRun(t, r, "Server", "PerformanceOnly", map[string]string{"loadgen_version": "5.1", "min_query_count": "100",
		"server_ttft_latency": "2000000000", "performance_issue_same": "false"})
	if r := readRun(nil, []byte(strings.Replace(newSummary, "VALID", "INVALID", 1))); r.valid {
		t.Error("an INVALID run counts")
	}
}

func checkRun(t *testing.T, r loggedRun, scenario, mode string, want map[string]string) {
	t.Helper()
	if r.scenario != scenario || r.mode != mode || !r.valid {
		t.Errorf("%+v", r)
	}
	for name, value := range want {
		if r.settings[name] != value {
			t.Errorf("%s is %q, want %q", name, r.settings[name], value)
		}
	}
}

// TestCollects makes a repository with two results, one of them in the open division.
func TestCollects(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{
		"closed/Somebody/results/sys/resnet50/Server/performance/run_1/mlperf_log_detail.txt":  newDetail,
		"closed/Somebody/results/sys/resnet50/Server/performance/run_1/mlperf_log_summary.txt": newSummary,
		"closed/Somebody/results/sys/resnet50/Server/accuracy/mlperf_log_summary.txt":          newSummary,
		"closed/Somebody/results/sys/resnet50/Server/accuracy/accuracy.txt":                    "accuracy=76.1%\nhash=1\n",
		"open/Somebody/results/sys/resnet50/Server/performance/run_1/mlperf_log_summary.txt":   newSummary,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	facts, err := collectFacts(filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	counts := facts.Runs[factKey{Model: "resnet50", Scenario: "Server"}]
	if len(facts.Runs) != 1 || counts == nil || counts.Runs != 1 ||
		!maps.Equal(counts.Settings["min_query_count"], Values{"100": 1}) {
		t.Fatalf("%+v", facts.Runs)
	}
	facts.Round = "v9.9"
	var b bytes.Buffer
	if err := writeFacts(&b, facts); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`{"model":"resnet50","scenario":"Server","runs":1,"settings":{`,
		`{"model":"resnet50","figure":"accuracy","texts":1,"lowest":["76.1"]}`, `"round": "v9.9"`} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("no %s in\n%s", line, b.String())
		}
	}
	if strings.Contains(b.String(), "Somebody") || strings.Contains(b.String(), "sys") {
		t.Errorf("a name stands in\n%s", b.String())
	}
	if _, err := collectFacts(t.TempDir()); err == nil {
		t.Error("a folder that is no repository was read")
	}
}
