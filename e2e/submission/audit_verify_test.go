package submission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestAuditVerify judges the logs that the built binaries write: as a scenario's folder, as an audit's run beside the
// results, and as the official scripts do. The submission's performance run is the audit's without its settings, so
// that speeds are not compared.
func TestAuditVerify(t *testing.T) {
	scenario, run := auditLogs(t)
	verify := func(code int, args ...string) harness.Result {
		t.Helper()
		return harness.Run(t, append([]string{"audit", "verify"}, args...)...).WantCode(t, code)
	}
	common := []string{"--test", "TEST01", "--results", scenario, "--dtype", "float32", "--model", "resnet50"}
	out := filepath.Join(t.TempDir(), "resnet50", "Offline")
	r := verify(0, append([]string{run, "--out", out}, common...)...)
	if !strings.Contains(r.Stdout, "TEST01       PASS              accuracy pass, performance pass") {
		t.Errorf("it printed\n%s", r.Both())
	}
	text, err := os.ReadFile(filepath.Join(out, "TEST01", "verify_accuracy.txt"))
	if err != nil || !strings.Contains(string(text), "num_perf_log_data_mismatch = 0\n") ||
		!strings.HasSuffix(string(text), "TEST PASS\n\n") {
		t.Errorf("%v\n%s", err, text)
	}
	r = verify(0, append([]string{run, "--compatible"}, common...)...)
	if !strings.HasSuffix(r.Stdout, "Performance check pass: True\nTEST01 verification complete\n") {
		t.Errorf("it printed\n%s", r.Both())
	}
	verify(0, out, "--results", scenario, "--dtype", "float32")

	log := filepath.Join(run, "mlperf_log_accuracy.json")
	whole := testfile.Read(t, log)
	testfile.Write(t, log, whole[:len(whole)/2])
	r = verify(6, append([]string{run, "--json"}, common...)...)
	if !strings.Contains(r.Stdout, `"check": "log-cut"`) || !strings.Contains(r.Stdout, `"logs_missing": true`) {
		t.Errorf("it printed\n%s", r.Both())
	}
	verify(0, append([]string{run, "--compatible"}, common...)...) // the official script always ends so
	testfile.Write(t, log, "[\n]\n")
	if r = verify(3, append([]string{run}, common...)...); !strings.Contains(r.Stdout, "no entry; want") {
		t.Errorf("it printed\n%s", r.Both())
	}
	verify(2, run, "--test", "TEST01")
	verify(2, run, "--test", "TEST02", "--results", scenario)
	verify(6, filepath.Join(run, "nowhere"), "--test", "TEST01")
}

// auditLogs makes the runs of TEST01: the results of a scenario, and the folder of the audit's run.
func auditLogs(t *testing.T) (scenario, run string) {
	t.Helper()
	dir := t.TempDir()
	config := testfile.Write(t, filepath.Join(dir, "TEST01.config"), "*.*.mode = 2\n"+
		"*.*.accuracy_log_rng_seed = 720381539243781796\n*.*.accuracy_log_sampling_target = 4096\n")
	base := []string{"run", "resnet50", "--scenario", "Offline", "--smoke", "--count", "100"}
	results, audited := filepath.Join(dir, "results"), filepath.Join(dir, "audited")
	harness.Run(t, append(base, "--mode", "accuracy", "--out", results)...).WantCode(t, 0)
	harness.Run(t, append(base, "--mode", "performance", "--set", "min_query_count=200", "--audit", config, "--out",
		audited)...).WantCode(t, 0)
	scenario = filepath.Join(results, "resnet50", "Offline")
	run = filepath.Join(audited, "resnet50", "Offline", "performance", "run_1")
	var plain strings.Builder
	for line := range strings.Lines(testfile.Read(t, filepath.Join(run, detailLog))) {
		if !strings.Contains(line, "Found Audit Config file") {
			plain.WriteString(line)
		}
	}
	performance := filepath.Join(scenario, "performance", "run_1")
	if err := os.MkdirAll(performance, 0o755); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(performance, detailLog), plain.String())
	return scenario, run
}

const detailLog = "mlperf_log_detail.txt"

// TestGoldenAuditVerifyOfOldRounds judges audits of rounds before early stopping by those rounds' rules.
func TestGoldenAuditVerifyOfOldRounds(t *testing.T) {
	const own = "../../internal/submission/official/audits/testdata/golden"
	golden.EachOwn(t, own, "found5/old-rounds/test01_*/*/*", func(t *testing.T, scenario string) {
		model := filepath.Base(filepath.Dir(scenario))
		round := strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(scenario))), "test01_")
		whole, err := filepath.Abs(scenario) // the harness runs in its own folder
		if err != nil {
			t.Fatal(err)
		}
		args := []string{"audit", "verify", whole, "--test", "TEST01", "--rules", round, "--no-accuracy-logs"}
		r := harness.Run(t, args...).WantCode(t, 0)
		if !strings.Contains(r.Stdout, "TEST01       PASS              performance pass") {
			t.Errorf("%s of %s: it printed\n%s", model, round, r.Both())
		}
		r = harness.Run(t, append(args, "--compatible")...).WantCode(t, 0)
		if !strings.Contains(r.Stdout, "Performance check pass: True\n") {
			t.Errorf("%s of %s: it printed\n%s", model, round, r.Both())
		}
	})
}
