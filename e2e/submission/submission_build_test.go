package submission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// rehearse makes the runs of a model, and its audits if it has some, in their own folder.
func rehearse(t *testing.T, audited bool, model string, flags ...string) (out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	flags = slices.Concat([]string{model, "--out", out, "--quiet"}, flags)
	harness.Run(t, append([]string{"run", "--mode", "submission"}, flags...)...).WantCode(t, 0)
	if audited {
		// on a busy machine the audited run may be faster or slower than the first one: then 3
		if r := harness.Run(t, append([]string{"audit", "all"}, flags...)...); r.Code != 0 && r.Code != 3 {
			t.Fatalf("audit of %s: exit code %d:\n%s", model, r.Code, r.Both())
		}
	}
	return out
}

// begin makes a workspace in which everything is filled in.
func begin(t *testing.T, submitter string) (workspace string) {
	t.Helper()
	workspace = filepath.Join(t.TempDir(), "submission")
	harness.Run(t, "submission", "init", "--workspace", workspace, "--submitter", submitter, "--system", "box",
		"--system-type", "edge").WantCode(t, 0).WantOutput(t, "status: available, preview or rdi")
	path := filepath.Join(workspace, "systems", "box.json")
	var fields map[string]string
	testfile.ReadJSON(t, path, &fields)
	for name, value := range fields {
		if strings.HasPrefix(value, "FILL IN") {
			fields[name] = "known to a person"
		}
	}
	fields["status"] = "available"
	testfile.WriteJSON(t, path, fields)
	said := map[string]string{"input_data_types": "int64", "retraining": "N"}
	testfile.WriteJSON(t, filepath.Join(workspace, "measurements.json"), said)
	return workspace
}

// Three benchmarks from runs of seconds to a tree: the check finds only what runs of seconds lack.
func TestSubmissionOfRehearsals(t *testing.T) {
	workspace, tree := begin(t, "Лаборатория"), filepath.Join(t.TempDir(), "tree")
	bert := rehearse(t, true, "bert", "--scenario", "SingleStream", "--count", "100", "--set", "min_query_count=100")
	outs := []string{
		bert, rehearse(t, false, "llama3.1-8b-edge", "--scenario", "SingleStream,Offline", "--count", "40", "--set",
			"min_query_count=40"),
		rehearse(t, true, "3d-unet", "--scenario", "Offline", "--count", "2", "--set", "min_query_count=2"),
	}
	in := []string{"--workspace", workspace}
	refused := harness.Run(t, slices.Concat([]string{"submission", "add"}, in, outs)...).WantCode(t, 2)
	for _, want := range []string{"--loadgen official", "--official", "--model and --dataset", "with --rehearsal"} {
		if !strings.Contains(refused.Stderr, want) {
			t.Errorf("refused without %s: %s", want, refused.Stderr)
		}
	}
	add := slices.Concat([]string{"submission", "add", "--rehearsal"}, in)
	harness.Run(t, append(add, outs...)...).WantCode(t, 0).WantOutput(t, "everything is filled in",
		"marked, not to be submitted: a rehearsal")
	if r := harness.Run(t, append(add, bert)...).WantCode(t, 2); !strings.Contains(r.Stderr, "was added already") {
		t.Errorf("a second time: %s", r.Stderr)
	}
	build := slices.Concat([]string{"submission", "build", "--rules", "v6.1", "--out", tree}, in)
	harness.Run(t, append(build, "--dry-run")...).WantCode(t, 0).WantOutput(t, "performance/run_1/mlperf_log_detail.txt\n"+
		"    copy of "+bert)
	if _, err := os.Stat(tree); err == nil {
		t.Fatal("--dry-run has written a tree")
	}
	harness.Run(t, build...).WantCode(t, 0).WantOutput(t, "inferred, as no run of Offline was added")
	harness.Run(t, build...).WantCode(t, 2)
	harness.Run(t, append(build, "--force")...).WantCode(t, 0)
	wantFindings(t, tree)
	harness.Run(t, "submission", "review", tree).WantCode(t, 3).WantOutput(t, "round v6.1, by the seeds of ",
		"Лаборатория")
	harness.Run(t, "rank", bert, tree).WantCode(t, 6).WantError(t, "nothing to rank the run among")
}

// wantFindings compares the check's findings with those expected of runs of seconds.
func wantFindings(t *testing.T, tree string) {
	t.Helper()
	got := findings(t, tree)
	want, err := os.ReadFile(filepath.Join("testdata", "submission-findings.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if list := strings.Join(got, "\n") + "\n"; list != string(want) {
		t.Errorf("the check finds:\n%s\nwant:\n%s", list, want)
	}
}
