package runs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// officialRun runs a model with the official LoadGen, and returns the runs of its result.
func officialRun(t *testing.T, out string, args ...string) []officialRecord {
	t.Helper()
	r := harness.Run(t, append([]string{"run", "--loadgen", "official", "--out", out, "--force"}, args...)...)
	if r.Code != 0 && r.Code != 3 { // the results of a busy machine are not tested
		t.Fatal(r.Both())
	}
	var doc struct{ Runs []officialRecord }
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	for _, run := range doc.Runs {
		if run.LoadGen.Name != "official" || run.LoadGen.Version == "" || run.Status != "complete" {
			t.Errorf("%+v: want a complete run of the official LoadGen", run)
		}
		if detail := run.log(t, out, "detail.txt"); strings.Contains(detail, "plumbline ") ||
			!strings.Contains(detail, `"loadgen_version", "value": "`+run.LoadGen.Version) {
			t.Errorf("the detail log of %s is not of LoadGen %s", run.Dir, run.LoadGen.Version)
		}
	}
	return doc.Runs
}

type officialRecord struct {
	Scenario, Mode, Status, Verdict, Dir string
	LoadGen                              struct{ Name, Version, SHA256 string }
	Messages                             []struct{ Key, Message string }
	Performance                          *struct {
		Queries uint64
		Metric  struct{ Value float64 }
		Tokens  *struct{ Count uint64 }
		Peak    *struct{ Trials []any }
	}
}

func (r officialRecord) log(t *testing.T, out, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(r.Dir), "mlperf_log_"+name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// short are settings of a very short performance run.
func short(more ...string) []string {
	args := []string{"--set", "min_duration=200", "--set", "min_query_count=100", "--set", "Server.target_qps=200",
		"--set", "Offline.target_qps=500"}
	return append(args, more...)
}

// TestOfficialLoadGen runs every scenario with the official LoadGen, performance and accuracy, and Server also with
// several issue threads.
func TestOfficialLoadGen(t *testing.T) {
	built.NeedOfficial(t)
	for name, args := range map[string][]string{
		"SingleStream": {"--scenario", "SingleStream"}, "MultiStream": {"--scenario", "MultiStream"},
		"Server": {"--scenario", "Server"}, "Offline": {"--scenario", "Offline"},
		"threads": {"--scenario", "Server", "--set", "server_num_issue_query_threads=3"},
	} {
		t.Run(name, func(t *testing.T) {
			runs := officialRun(t, t.TempDir(), short(append(args, "resnet50", "--mode", "submission")...)...)
			if len(runs) != 2 || runs[0].Performance == nil || runs[0].Performance.Metric.Value <= 0 ||
				runs[1].Verdict != "PASS" {
				t.Errorf("%+v", runs)
			}
		})
	}
}

// TestOfficialLoadGenGivesTheSameAnswers compares the accuracy logs of the official LoadGen and ours.
func TestOfficialLoadGenGivesTheSameAnswers(t *testing.T) {
	built.NeedOfficial(t)
	theirs, ours := t.TempDir(), t.TempDir()
	args := []string{"resnet50", "--mode", "accuracy", "--scenario", "Offline"}
	officialRun(t, theirs, args...)
	harness.Run(t, append([]string{"run", "--out", ours, "--force"}, args...)...).WantCode(t, 0)
	const log = "resnet50/Offline/accuracy/mlperf_log_accuracy.json"
	got, want := results.LoggedEntries(t, filepath.Join(ours, log)), results.LoggedEntries(t, filepath.Join(theirs, log))
	if len(want) != 1000 || !maps.Equal(got, want) {
		t.Errorf("%d entries of the official LoadGen, %d of ours, want the same 1000", len(want), len(got))
	}
}

func TestOfficialLoadGenSearches(t *testing.T) {
	built.NeedOfficial(t)
	runs := officialRun(t, t.TempDir(), "resnet50", "--mode", "findpeak", "--set", "min_duration=200",
		"--set", "min_query_count=50", "--set", "Server.target_qps=20", "--set", "Server.target_latency=1000",
		"--set", "server_find_peak_qps_boundary_step_size=20")
	if len(runs) != 1 || runs[0].Performance == nil || runs[0].Performance.Peak == nil ||
		len(runs[0].Performance.Peak.Trials) == 0 {
		t.Errorf("%+v", runs)
	}
}

// TestOfficialLoadGenTakesTokens: no first token is logged after its answer.
func TestOfficialLoadGenTakesTokens(t *testing.T) {
	built.NeedOfficial(t)
	for _, mode := range []string{"performance", "accuracy"} {
		runs := officialRun(t, t.TempDir(), "llama3.1-8b", "--scenario", "Server", "--mode", mode, "--set",
			"min_duration=1000", "--set", "min_query_count=100", "--set", "target_qps=50", "--count", "200")
		if len(runs) != 1 || len(runs[0].Messages) != 0 {
			t.Fatalf("%s: %+v", mode, runs)
		}
		if p := runs[0].Performance; mode == "performance" && (p == nil || p.Tokens == nil || p.Tokens.Count < 200) {
			t.Errorf("%+v", p)
		}
	}
}

// TestOfficialLoadGenReadsAuditSettings: they apply, and leave only logs.
func TestOfficialLoadGenReadsAuditSettings(t *testing.T) {
	built.NeedOfficial(t)
	audit, out := filepath.Join(t.TempDir(), "settings"), t.TempDir()
	text := "*.*.mode = 2\n*.*.accuracy_log_rng_seed = 720381539243781796\n*.*.accuracy_log_sampling_target = 1000000\n"
	if err := os.WriteFile(audit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	runs := officialRun(t, out, short("resnet50", "--scenario", "Offline", "--audit", audit)...)
	if len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	if !strings.Contains(runs[0].log(t, out, "detail.txt"), "Found Audit Config file") ||
		strings.Count(runs[0].log(t, out, "accuracy.json"), "qsl_idx") < 100 {
		t.Error("the audit settings did not apply")
	}
	left, err := filepath.Glob(filepath.Join(out, filepath.FromSlash(runs[0].Dir), ".audit*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %q are left", err, left)
	}
}

// TestOfficialLoadGenRefusesWhatItWouldDieOf: more samples per query than the data set has, with each issued once.
func TestOfficialLoadGenRefusesWhatItWouldDieOf(t *testing.T) {
	built.NeedOfficial(t)
	harness.Run(t, "run", "resnet50", "--loadgen", "official", "--count", "50", "--mode", "performance", "--scenario",
		"Offline", "--set", "performance_issue_unique=1", "--set", "performance_sample_count_override=1024",
		"--out", t.TempDir()).WantCode(t, 2).WantError(t, "performance_sample_count_override = 50")
}

// TestOfficialLoadGenOfFaultyPlugins: a failing plugin ends the run, even while the official LoadGen waits.
func TestOfficialLoadGenOfFaultyPlugins(t *testing.T) {
	built.NeedOfficial(t)
	for fault, message := range map[string]string{
		"die": "killed by signal 9", "stop": "no sign of life", "twice": "again", "unknown": "which was not issued",
		"drop": "not answered",
	} {
		t.Run(fault, func(t *testing.T) {
			cmd, dir, out := faulty.Run(t, fault, "--loadgen", "official", "--scenario", "SingleStream", "--set",
				"min_duration=200", "--set", "target_latency=0.1", "--heartbeat-timeout", faulty.Silence)
			harness.Finish(t, cmd).WantCode(t, 5).WantError(t, message)
			faulty.WantMarkedLogs(t, out)
			summary, err := os.ReadFile(filepath.Join(faulty.Performance(out), "mlperf_log_summary.txt"))
			if err != nil || !strings.Contains(string(summary), "There is no result") {
				t.Errorf("%v, the summary is\n%s", err, summary)
			}
			harness.WantNoProcess(t, dir)
		})
	}
}

// expectation is a setting for each scenario with which a run of minutes has few queries.
var expectation = map[string]string{
	"SingleStream": "target_latency=100", "MultiStream": "target_latency=100", "Server": "target_qps=10",
	"Offline": "target_qps=100",
}

// TestOfficialLoadGenInterrupted: Ctrl-C ends a run of minutes in every scenario.
func TestOfficialLoadGenInterrupted(t *testing.T) {
	built.NeedOfficial(t)
	for _, scenario := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
		t.Run(scenario, func(t *testing.T) {
			cmd, dir, out := faulty.Run(t, "slow-batches", "--loadgen", "official", "--scenario", scenario, "--set",
				"min_duration=600000", "--set", scenario+"."+expectation[scenario])
			said := harness.Printed(filepath.Join(t.TempDir(), "stderr.txt"))
			file, err := os.Create(string(said))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			cmd.Stderr = file
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			detail := filepath.Join(out, "faulty", scenario, "performance", "run_1", "mlperf_log_detail.txt")
			harness.WaitForText(t, cmd, said, detail, "generated_query_count")
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 {
				t.Errorf("exit code %d, want 130; it printed:\n%s", code, said)
			}
			if text := harness.Printed(detail).String(); !strings.Contains(text, "Test aborted: interrupted") {
				t.Errorf("the log is not marked:\n%s", text)
			}
			harness.WantNoProcess(t, dir)
		})
	}
}

// TestWithoutTheOfficialLoadGen: the harness says how to build the missing LoadGen.
func TestWithoutTheOfficialLoadGen(t *testing.T) {
	dir := t.TempDir()
	built.Copy(t, "harness", filepath.Join(dir, "harness"))
	plugins := filepath.Join(filepath.Dir(built.Harness()), "plugins")
	for _, args := range [][]string{
		{"run", "resnet50", "--loadgen", "official"}, {"submission", "run", "resnet50", "--system-type", "edge"},
	} {
		cmd := harness.Command(t, filepath.Join(dir, "harness"), append(args, "--plugin-dir", plugins, "--out",
			t.TempDir())...)
		harness.Finish(t, cmd).WantCode(t, 2).WantError(t, fmt.Sprintf("there is no %s", filepath.Join(dir,
			"harness-official")))
	}
}
