package submission

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// cheat runs a command of the harness on one of these benchmarks, with its results in out.
func cheat(t *testing.T, out string, args ...string) harness.Result {
	t.Helper()
	dir := built.Cheater()
	return harness.Run(t, append(args, "--plugin-dir", dir, "--out", out, "--quiet")...)
}

func TestAuditsFindCheaters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, test, scenario, file, says string }{
		{"keeping", "TEST04", "SingleStream", "verify_performance.txt", "TEST FAIL"},
		{"keeping", "TEST04", "Offline", "verify_performance.txt", "TEST FAIL"},
		{"changing", "TEST01", "SingleStream", "verify_accuracy.txt", "TEST FAIL"},
	} {
		t.Run(c.test+" "+c.scenario, func(t *testing.T) {
			out := t.TempDir()
			r := cheat(t, out, "audit", c.test, c.model, "--scenario", c.scenario).WantCode(t, 3)
			if !strings.Contains(r.Stdout, c.test) || !strings.Contains(r.Stdout, "FAIL") {
				t.Errorf("the verdict is not told:\n%s", r.Stdout)
			}
			testfile.RequireText(t, c.says, out, c.model, c.scenario, c.test, c.file)
		})
	}
}

// TestCachingInTwoRuns: before v2.1 TEST04 makes and compares two runs of its own and writes the verdict into the
// folder of the first. `harness audit verify` gives the same verdict.
func TestCachingInTwoRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ round, scenario string }{{"v1.0", "SingleStream"}, {"v0.7", "Offline"}, {"v2.0",
		"Offline"}} {
		out := t.TempDir()
		scenario := filepath.Join(out, "keeping", c.scenario)
		audit := []string{"audit", "TEST04", "keeping", "--rules", c.round, "--scenario", c.scenario}
		first := cheat(t, out, audit...).WantCode(t, 3).WantOutput(t, "TEST04", "FAIL", "TEST04-B faster by less than")
		testfile.RequireText(t, "TEST FAIL", scenario, "TEST04-A", "verify_performance.txt")
		testfile.RequireText(t, "performance_issue_unique = 1", scenario, "TEST04-A", "audit.config")
		testfile.RequireText(t, "performance_issue_same = 1", scenario, "TEST04-B", "audit.config")
		for _, run := range []string{"TEST04-A", "TEST04-B"} {
			log := []string{scenario, run, "performance", "run_1", "mlperf_log_detail.txt"}
			testfile.RequireText(t, "Found Audit Config file", log...)
		}
		testfile.RequireText(t, `"test_verdict": "FAIL"`, out, "result.json")
		if _, err := os.Stat(filepath.Join(scenario, "performance")); err == nil {
			t.Errorf("%s: a run was made that the test does not compare", c.round)
		}
		if again := cheat(t, out, audit...).WantCode(t, 3); strings.Count(again.Stdout, "TEST04-") >
			strings.Count(first.Stdout, "TEST04-") {
			t.Errorf("%s: the runs were made again:\n%s", c.round, again.Stdout)
		}
		harness.Run(t, "audit", "verify", scenario, "--rules", c.round).WantCode(t, 3).WantOutput(t, "TEST04", "FAIL")
		harness.Run(t, "audit", "verify", filepath.Join(scenario, "TEST04-B"), "--rules", c.round).WantCode(t, 3)
		harness.Run(t, "audit", "verify", scenario, "--rules", c.round, "--compatible").WantCode(t, 0).
			WantOutput(t, "TEST04-A score = ", "TEST FAIL: Test score invalid")
		if r := harness.Run(t, "audit", "verify", scenario).WantCode(t, 2); !strings.Contains(r.Stderr,
			"rounds before v2.1") {
			t.Errorf("two runs under today's rules: %s", r.Stderr)
		}
	}
	out := t.TempDir()
	r := harness.EitherWay(t, cheat(t, out, "audit", "all", "honest", "--rules", "v1.0", "--scenario", "Offline"))
	harness.WantParts(t, r.Stdout, "TEST01", "TEST04", "TEST05")
	testfile.RequireText(t, "TEST04-B score = ", out, "honest", "Offline", "TEST04-A", "verify_performance.txt")
}

// TestTEST01ComparesAccuracies: if answers differ, the benchmark's own scorer decides.
func TestTEST01ComparesAccuracies(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	cheat(t, out, "audit", "TEST01", "changing", "--scenario", "SingleStream").WantCode(t, 3)
	folder := filepath.Join(out, "changing", "SingleStream", "TEST01")
	testfile.RequireText(t, "accuracy=100.000%", folder, "accuracy", "baseline_accuracy.txt")
	testfile.RequireText(t, "accuracy=", folder, "accuracy", "compliance_accuracy.txt")
}

func TestAuditsBesideARun(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	cheat(t, out, "run", "honest", "--scenario", "Offline", "--mode", "performance").WantCode(t, 0)
	scenario := filepath.Join(out, "honest", "Offline")
	log := filepath.Join(scenario, "performance", "run_1", "mlperf_log_detail.txt")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing runs
		r := harness.EitherWay(t, cheat(t, out, "audit", "all", "honest", "--scenario", "Offline"))
		for _, test := range []string{"TEST01", "TEST04"} {
			if !strings.Contains(r.Stdout, test) {
				t.Errorf("%s is not told:\n%s", test, r.Stdout)
			}
		}
	}
	if after, err := os.ReadFile(log); err != nil || string(after) != string(before) {
		t.Errorf("%v; the run that was there is another one", err)
	}
	testfile.RequireText(t, "TEST PASS", scenario, "TEST01", "verify_accuracy.txt")
	for _, name := range []string{"verify_performance.txt", "accuracy/mlperf_log_accuracy.json", "audit.config",
		"performance/run_1/mlperf_log_summary.txt"} {
		testfile.RequireText(t, "", scenario, "TEST01", name)
	}
	testfile.RequireText(t, "*.*.performance_issue_same = 1", scenario, "TEST04", "audit.config")
	testfile.RequireText(t, "Found Audit Config file", scenario, "TEST04", "performance", "run_1",
		"mlperf_log_detail.txt")
	r := cheat(t, out, "audit", "TEST04", "honest", "--scenario", "Offline", "--set", "min_duration=1").WantCode(t, 2)
	if !strings.Contains(r.Stderr, "other settings") {
		t.Errorf("other settings than the run's: %s", r.Stderr)
	}
}

// TestAnInvalidRunIsMadeOnce: audits that compare with an INVALID run fail, and do not repeat it.
func TestAnInvalidRunIsMadeOnce(t *testing.T) {
	t.Parallel()
	r := cheat(t, t.TempDir(), "audit", "all", "honest", "--scenario", "Server", "--set", "target_qps=500", "--set",
		"target_latency=1").WantCode(t, 3).WantOutput(t, "TEST01", "TEST04", "the performance run is INVALID")
	if n := strings.Count(r.Stdout, "Server        performance  INVALID"); n != 1 {
		t.Errorf("the performance run was made %d times, want once:\n%s", n, r.Stdout)
	}
}

// TestAuditOfTokens passes the tokens of a run, and finds a count that differs from its answer, and an answer with two
// end tokens.
func TestAuditOfTokens(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	harness.Run(t, "audit", "TEST06", "llama3.1-8b", "--scenario", "Offline", "--out", out, "--quiet").WantCode(t, 0)
	testfile.RequireText(t, "First token check pass: Skipped", out, "llama3.1-8b", "Offline", "TEST06",
		"verify_accuracy.txt")
	scenario := filepath.Join(out, "llama3.1-8b", "Offline")
	log := filepath.Join(scenario, "TEST06", "accuracy", "mlperf_log_accuracy.json")
	sound := testfile.Read(t, log)
	entry := regexp.MustCompile(`"data" : "[^"]*", "token_count" : \d+`)
	for says, answer := range map[string]string{
		"have another number of tokens": `"data" : "0500000006000000", "token_count" : 3`,
		"end with two end tokens":       `"data" : "05000000020000000200000002000000", "token_count" : 4`,
	} {
		first := true
		testfile.Write(t, log, entry.ReplaceAllStringFunc(sound, func(text string) string {
			if first {
				first, text = false, answer
			}
			return text
		}))
		if first {
			t.Fatalf("no answer in the log:\n%.500s", sound)
		}
		r := harness.Run(t, "audit", "verify", scenario, "--test", "TEST06", "--model", "llama3.1-8b").WantCode(t, 3)
		harness.WantParts(t, r.Stdout, "TEST06", "FAIL", "1 of 100 answers "+says)
	}
}

func TestAuditWithOtherSeedsAndData(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r := harness.EitherWay(t, cheat(t, out, "audit", "seeds", "honest", "--seeds", "1,2,3", "--scenario", "Offline"))
	if !strings.Contains(r.Stdout, "samples/s instead of") {
		t.Errorf("the comparison is not told:\n%s", r.Stdout)
	}
	testfile.RequireText(t, `"value": 2, "`, out, "honest", "Offline", "seeds", "performance", "run_1",
		"mlperf_log_detail.txt")
	r = harness.EitherWay(t, cheat(t, out, "audit", "dataset", "honest", "--dataset", t.TempDir(), "--scenario",
		"Offline"))
	if !strings.Contains(r.Stdout, "accuracy 100 instead of 100") {
		t.Errorf("the comparison is not told:\n%s", r.Stdout)
	}
}

func TestWrongAudits(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"want one of TEST01, TEST04":         {"audit", "TEST06", "honest"},
		"ask no audit":                       {"audit", "all", "honest", "--rules", "v0.5"},
		"want one of TEST01, TEST04, TEST05": {"audit", "TEST06", "honest", "--rules", "v1.0"},
		"want three numbers":                 {"audit", "seeds", "honest", "--seeds", "1,2"},
		"name the data set":                  {"audit", "dataset", "honest"},
		"unknown command":                    {"audit", "nonsense"},
	} {
		if r := cheat(t, t.TempDir(), args...).WantCode(t, 2); !strings.Contains(r.Stderr, says) {
			t.Errorf("%q: %s", args, r.Stderr)
		}
	}
}
