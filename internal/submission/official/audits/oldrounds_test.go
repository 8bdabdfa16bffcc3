package audits

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestScriptsOfOldRounds: verify_performance.py of a round's time reads its lines of the summaries, and prints them so.
func TestScriptsOfOldRounds(t *testing.T) {
	const fail = ": Test score invalid\n"
	for _, c := range []struct {
		round, test, scenario, line string
		reference, run, want        string
	}{
		{"v1.0", "TEST01", "SingleStream", "90th percentile latency (ns) : %s", "1000000", "1099999", "TEST PASS\n"},
		{"v1.0", "TEST01", "SingleStream", "90th percentile latency (ns) : %s", "1000000", "1100001", "TEST FAIL" + fail},
		{"v1.0", "TEST01", "MultiStream", "Samples per query : %s", "60", "60", "TEST PASS\n"},
		{"v1.0", "TEST05", "MultiStream", "Samples per query : %s", "60", "56", "TEST FAIL" + fail},
		{"v1.0", "TEST05", "SingleStream", "90th percentile latency (ns) : %s", "1000000", "1040000", "TEST PASS\n"},
		{"v1.0", "TEST05", "SingleStream", "90th percentile latency (ns) : %s", "1000000", "940000", "TEST FAIL" + fail},
		{"v0.7", "TEST01", "Single Stream", "90th percentile latency (ns) : %s", "150000", "179000", "TEST PASS\n"},
		{"v0.5", "TEST05", "Server", "Scheduled samples per second : %s", "100.00", "91.00", "TEST PASS\n"},
		{"v1.1", "TEST01", "Server", "Scheduled samples per second : %s", "100.00", "89.00", "TEST FAIL" + fail},
		{"v2.0", "TEST01", "MultiStream", "99th percentile latency (ns) : %s", "1500000", "1790000", "TEST PASS\n"},
		{"v2.0", "TEST05", "MultiStream", "99th percentile latency (ns) : %s", "1500000", "1790000", "TEST FAIL" + fail},
		{"v3.0", "TEST05", "Offline", "Samples per second: %s", "100", "106", "TEST FAIL" + fail},
		{"v4.0", "TEST05", "Offline", "Samples per second: %s", "100", "106", "TEST PASS\n"},
		{"v4.1", "TEST01", "SingleStream", " * Early stopping 90th percentile estimate: %s", "1000000", "1050000",
			"TEST PASS\n"},
		{"v4.1", "TEST01", "Server", "Completed samples per second    : %s", "100.00", "110.01", "TEST FAIL" + fail},
		{"v1.0", "TEST01", "SingleStream", " * Early stopping 90th percentile estimate: %s", "7", "7", "TEST FAIL" + fail},
	} {
		dir := t.TempDir()
		var paths [2]string
		for i, score := range []string{c.reference, c.run} {
			paths[i] = filepath.Join(dir, fmt.Sprint(i))
			text := "Scenario : " + c.scenario + "\n" + fmt.Sprintf(c.line, score) + "\nResult is : VALID\n"
			if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rules, err := mlconf.Round(c.round)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Verify(context.Background(), Request{Request: audit.Request{Test: c.test, Rules: rules, Model: "resnet50",
			Reference: audit.Logs{Summary: paths[0]}, Run: audit.Logs{Summary: paths[1]}}})
		read := [2]string{c.reference, c.run}
		if c.round == "v1.0" && strings.Contains(c.line, "Early") {
			read = [2]string{"0", "0"} // the script of the time did not look for it
		}
		want := "Verifying performance.\nreference score = " + read[0] + "\ntest score = " + read[1] + "\n" + c.want
		if got := v.Texts["verify_performance.txt"]; err != nil || got != want {
			t.Errorf("%+v: %v\n%swant\n%s", c, err, got, want)
		}
	}
}

// TestScriptOfTwoRuns: verify_test4_performance.py compares the summaries of both runs, VALID or not. It reads each one
// up to the line with the run's setting.
func TestScriptOfTwoRuns(t *testing.T) {
	const single, server = "90th percentile latency (ns) : ", "Scheduled samples per second : "
	const pass, fail, multi = "TEST PASS\n", "TEST FAIL: Test score invalid\n", "99th percentile latency (ns) : "
	const note = pass + "Note: TEST04-B is significantly slower than TEST04-A\n"
	for _, c := range []struct {
		round, scenario, line, unique, same, settings, want string
	}{
		{"v0.7", "Single Stream", single, "1000000", "900001", "true true", pass},
		{"v0.7", "Single Stream", single, "1000000", "900000", "true true", fail},
		{"v0.7", "Single Stream", single, "1000000", "1100000", "true true", note},
		{"v1.0", "SingleStream", single, "200000", "160001", "true true", pass},
		{"v1.0", "SingleStream", single, "200001", "160001", "true true", fail},
		{"v1.1", "Offline", "Samples per second: ", "100", "110", "true true", pass}, // 110.00000000000001
		{"v1.1", "Offline", "Samples per second: ", "100", "110.1", "true true", fail},
		{"v1.1", "Offline", "Samples per second: ", "100", "90", "true true", note},
		{"v1.0", "Server", server, "100", "1", "true true", note},
		{"v0.5", "MultiStream", "Samples per query : ", "8", "8", "true true", pass},
		{"v2.0", "MultiStream", multi, "1500000", "100000", "true true", note},
		{"v2.0", "MultiStream", multi, "1500000", "1700000", "true true", fail},
		{"v1.0", "Server", server, "100", "100", "false true", "TEST FAIL: Invalid test settings in TEST04-A summary.\n"},
		{"v1.0", "Server", server, "100", "100", "true false", "TEST FAIL: Invalid test settings in TEST04-B summary.\n"},
		{"v1.0", "Server", single, "100", "100", "true true", fail}, // no score is 0
	} {
		dir := t.TempDir()
		var paths [2]string
		values := strings.Fields(c.settings)
		for i, score := range []string{c.unique, c.same} {
			paths[i] = filepath.Join(dir, fmt.Sprint(i))
			setting := [2]string{"performance_issue_unique", "performance_issue_same"}[i]
			text := "Scenario : " + c.scenario + "\n" + c.line + score + "\nResult is : INVALID\n" + setting + " : " +
				values[i] + "\n3 ERRORs encountered. See detailed log.\n" + c.line + "7\n"
			if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		rules, err := mlconf.Round(c.round)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Verify(t.Context(), Request{Request: audit.Request{Test: "TEST04", Rules: rules, Model: "resnet50",
			Reference: audit.Logs{Summary: paths[0]}, Run: audit.Logs{Summary: paths[1]}}})
		if got := v.Texts["verify_performance.txt"]; err != nil || !strings.HasSuffix(got, c.want) ||
			v.Pass != strings.HasPrefix(c.want, pass) || v.Folder != "TEST04-A" {
			t.Errorf("%+v: %v, %v, %s\n%s", c, v.Pass, err, v.Folder, got)
		}
	}
}

// TestGoldenOldRounds: logs of our own of old rounds pass as strictly, and by the script of the time.
func TestGoldenOldRounds(t *testing.T) {
	round := regexp.MustCompile(`test01_(v\d\.\d)/`)
	const pattern = "found5/old-rounds/test01_*/*/*/TEST01/performance"
	golden.EachOwn(t, "testdata/golden", pattern, func(t *testing.T, path string) {
		rules, err := mlconf.Round(round.FindStringSubmatch(filepath.ToSlash(path))[1])
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(path)
		r := audit.Request{Test: "TEST01", Rules: rules, Model: filepath.Base(filepath.Dir(filepath.Dir(folder))),
			Reference: audit.ResultLogs(filepath.Dir(folder)), Run: audit.RunLogs(folder), PerformanceOnly: true}
		if v, err := audit.Verify(context.Background(), r); err != nil || !v.Pass {
			t.Errorf("%v, %v", err, v.Reasons)
		}
		if v, err := Verify(context.Background(), Request{Request: r}); err != nil || v.Performance != audit.Passed {
			t.Errorf("the script of the time: %v, %s", err, v.Stdout)
		}
	})
}
