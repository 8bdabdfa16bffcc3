package submission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestSubmissionRunGoesOn kills a submission's runs in the middle: the same command makes the missing runs, and keeps
// the finished ones.
func TestSubmissionRunGoesOn(t *testing.T) {
	t.Parallel()
	dir := built.Cheater()
	out, workspace, tree := t.TempDir(), filepath.Join(t.TempDir(), "ws"), filepath.Join(t.TempDir(), "tree")
	harness.Run(t, "submission", "init", "--workspace", workspace, "--submitter", "Toylab", "--system",
		"toy").WantCode(t,
		0)
	args := []string{"submission", "run", "honest", "--rehearsal", "--smoke", "--scenario", "SingleStream,Offline",
		"--plugin-dir", dir, "--out", out, "--workspace", workspace, "--tree", tree, "--quiet"}
	said := harness.Printed(filepath.Join(t.TempDir(), "stderr.txt"))
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := harness.Command(t, built.Harness(), args...)
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(out, "honest", "SingleStream", "performance", "run_1", "mlperf_log_detail.txt")
	audit := filepath.Join(out, "honest", "SingleStream", "TEST01", "performance", "run_1", "mlperf_log_detail.txt")
	harness.WaitForText(t, cmd, said, audit, "generated_query_count")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	before, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	r := harness.Run(t, append(args, "--dry-run")...).WantCode(t, 0)
	if !strings.Contains(r.Stdout, "there") || !strings.Contains(r.Stdout, "Offline TEST04") {
		t.Errorf("the plan does not say what is there:\n%s", r.Stdout)
	}
	harness.EitherWay(t, harness.Run(t, args...))
	if after, err := os.ReadFile(first); err != nil || string(after) != string(before) {
		t.Errorf("%v; a finished run was made again", err)
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 8 {
		t.Errorf("%d runs, want performance, accuracy and two audits of two scenarios", len(doc.Runs))
	}
	testfile.RequireText(t, "", tree, "closed", "Toylab", "results", "toy", "resnet", "Offline", "TEST04",
		"verify_performance.txt")
	for _, run := range doc.Runs {
		if run.Status != "complete" {
			t.Errorf("%s %s is %s", run.Scenario, run.Mode, run.Status)
		}
	}
}

func TestSubmissionRunWantsTheOfficialLoadGen(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"--rehearsal":                    {"resnet50", "--system-type", "edge", "--smoke"},
		"without --model and --dataset":  {"resnet50", "--system-type", "edge"},
		"without --dataset the plugin's": {"resnet50", "--system-type", "edge", "--model", "some.onnx"},
		"drives no run":                  {"resnet50", "--system-type", "edge", "--loadgen", "plumbline"},
		"give --system-type":             {"resnet50", "--rehearsal"},
		`the system type is "tiny"`:      {"resnet50", "--system-type", "tiny"},
		"of type datacenter":             {"resnet50", "--system-type", "datacenter", "--rehearsal"},
	} {
		args = append([]string{"submission", "run", "--out", t.TempDir()}, args...)
		if r := harness.Run(t, args...).WantCode(t, 2); !strings.Contains(r.Stderr, says) {
			t.Errorf("%q: %s", args, r.Stderr)
		}
	}
}
