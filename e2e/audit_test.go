package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// cheaterPlugin builds the benchmarks for tests of audits, once.
var cheaterPlugin = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(built.dir, "cheater")
	return dir, goTool(built.root, nil, "build", "-o", dir+"/", "./e2e/testdata/plumbline-plugin-cheater")
})

// cheat runs a command of the harness on one of these benchmarks, with its results in out.
func cheat(t *testing.T, out string, args ...string) result {
	t.Helper()
	dir, err := cheaterPlugin()
	if err != nil {
		t.Fatal(err)
	}
	return harness(t, append(args, "--plugin-dir", dir, "--out", out, "--quiet")...)
}

// holds wants a text in a file.
func holds(t *testing.T, text string, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if have, err := os.ReadFile(file); err != nil || !strings.Contains(string(have), text) {
		t.Errorf("%s: %v, want %q in\n%s", file, err, text, have)
	}
}

// eitherWay wants a verdict, passed or not: on a busy machine two equal runs may differ by more than the bound.
func eitherWay(t *testing.T, r result) result {
	t.Helper()
	if r.code != 0 && r.code != 3 {
		t.Errorf("exit code %d, want 0 or 3:\n%s", r.code, r.both())
	}
	return r
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
			r := cheat(t, out, "audit", c.test, c.model, "--scenario", c.scenario).wantCode(t, 3)
			if !strings.Contains(r.stdout, c.test) || !strings.Contains(r.stdout, "FAIL") {
				t.Errorf("the verdict is not told:\n%s", r.stdout)
			}
			holds(t, c.says, out, c.model, c.scenario, c.test, c.file)
		})
	}
}

// TestTEST01ComparesAccuracies: where answers differ, the benchmark's own scorer has the last word.
func TestTEST01ComparesAccuracies(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	cheat(t, out, "audit", "TEST01", "changing", "--scenario", "SingleStream").wantCode(t, 3)
	folder := filepath.Join(out, "changing", "SingleStream", "TEST01")
	holds(t, "accuracy=100.000%", folder, "accuracy", "baseline_accuracy.txt")
	holds(t, "accuracy=", folder, "accuracy", "compliance_accuracy.txt")
}

func TestAuditsBesideARun(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	cheat(t, out, "run", "honest", "--scenario", "Offline", "--mode", "performance").wantCode(t, 0)
	scenario := filepath.Join(out, "honest", "Offline")
	log := filepath.Join(scenario, "performance", "run_1", "mlperf_log_detail.txt")
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time nothing is run
		r := eitherWay(t, cheat(t, out, "audit", "all", "honest", "--scenario", "Offline"))
		for _, test := range []string{"TEST01", "TEST04"} {
			if !strings.Contains(r.stdout, test) {
				t.Errorf("%s is not told:\n%s", test, r.stdout)
			}
		}
	}
	if after, err := os.ReadFile(log); err != nil || string(after) != string(before) {
		t.Errorf("%v; the run that was there is another one", err)
	}
	holds(t, "TEST PASS", scenario, "TEST01", "verify_accuracy.txt")
	for _, name := range []string{"verify_performance.txt", "accuracy/mlperf_log_accuracy.json", "audit.config",
		"performance/run_1/mlperf_log_summary.txt"} {
		holds(t, "", scenario, "TEST01", name)
	}
	holds(t, "*.*.performance_issue_same = 1", scenario, "TEST04", "audit.config")
	holds(t, "Found Audit Config file", scenario, "TEST04", "performance", "run_1", "mlperf_log_detail.txt")
	r := cheat(t, out, "audit", "TEST04", "honest", "--scenario", "Offline", "--set", "min_duration=1").wantCode(t, 2)
	if !strings.Contains(r.stderr, "other settings") {
		t.Errorf("other settings than the run's: %s", r.stderr)
	}
}

// TestAnInvalidRunIsMadeOnce: audits that compare with a run that is INVALID fail, and do not make it again each.
func TestAnInvalidRunIsMadeOnce(t *testing.T) {
	t.Parallel()
	r := cheat(t, t.TempDir(), "audit", "all", "honest", "--scenario", "Server", "--set", "target_qps=500", "--set",
		"target_latency=1").wantCode(t, 3).wantOutput(t, "TEST01", "TEST04", "the performance run is INVALID")
	if n := strings.Count(r.stdout, "Server        performance  INVALID"); n != 1 {
		t.Errorf("the performance run was made %d times, want once:\n%s", n, r.stdout)
	}
}

func TestAuditOfTokens(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	harness(t, "audit", "TEST06", "llama3.1-8b", "--scenario", "Offline", "--out", out, "--quiet").wantCode(t, 0)
	holds(t, "First token check pass: Skipped", out, "llama3.1-8b", "Offline", "TEST06", "verify_accuracy.txt")
}

// TestAuditOfTokensThatFails: a count that an answer does not have, and an answer with two end tokens.
func TestAuditOfTokensThatFails(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	harness(t, "audit", "TEST06", "llama3.1-8b", "--scenario", "Offline", "--out", out, "--quiet").wantCode(t, 0)
	scenario := filepath.Join(out, "llama3.1-8b", "Offline")
	log := filepath.Join(scenario, "TEST06", "accuracy", "mlperf_log_accuracy.json")
	sound := readText(t, log)
	entry := regexp.MustCompile(`"data" : "[^"]*", "token_count" : \d+`)
	for says, answer := range map[string]string{
		"have another number of tokens": `"data" : "0500000006000000", "token_count" : 3`,
		"end with two end tokens":       `"data" : "05000000020000000200000002000000", "token_count" : 4`,
	} {
		first := true
		write(t, log, entry.ReplaceAllStringFunc(sound, func(text string) string {
			if first {
				first, text = false, answer
			}
			return text
		}))
		if first {
			t.Fatalf("no answer in the log:\n%.500s", sound)
		}
		r := harness(t, "audit", "verify", scenario, "--test", "TEST06", "--model", "llama3.1-8b").wantCode(t, 3)
		wantParts(t, r.stdout, "TEST06", "FAIL", "1 of 100 answers "+says)
	}
}

func TestAuditWithOtherSeedsAndData(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r := eitherWay(t, cheat(t, out, "audit", "seeds", "honest", "--seeds", "1,2,3", "--scenario", "Offline"))
	if !strings.Contains(r.stdout, "samples/s instead of") {
		t.Errorf("the comparison is not told:\n%s", r.stdout)
	}
	holds(t, `"value": 2, "`, out, "honest", "Offline", "seeds", "performance", "run_1", "mlperf_log_detail.txt")
	r = eitherWay(t, cheat(t, out, "audit", "dataset", "honest", "--dataset", t.TempDir(), "--scenario", "Offline"))
	if !strings.Contains(r.stdout, "accuracy 100 instead of 100") {
		t.Errorf("the comparison is not told:\n%s", r.stdout)
	}
}

func TestWrongAudits(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"ask for TEST01, TEST04": {"audit", "TEST06", "honest"},
		"ask no audit":           {"audit", "all", "honest", "--rules", "v0.5"},
		"want three numbers":     {"audit", "seeds", "honest", "--seeds", "1,2"},
		"name the data set":      {"audit", "dataset", "honest"},
		"unknown command":        {"audit", "nonsense"},
	} {
		if r := cheat(t, t.TempDir(), args...).wantCode(t, 2); !strings.Contains(r.stderr, says) {
			t.Errorf("%q: %s", args, r.stderr)
		}
	}
}
