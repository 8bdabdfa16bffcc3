package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rehearse makes the runs of a model, and its audits where it has some, in a folder of their own.
func rehearse(t *testing.T, audited bool, model string, flags ...string) (out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	flags = slices.Concat([]string{model, "--out", out, "--quiet"}, flags)
	harness(t, append([]string{"run", "--mode", "submission"}, flags...)...).wantCode(t, 0)
	if audited {
		// on a busy machine the audited run may be faster or slower than the first one: then 3
		if r := harness(t, append([]string{"audit", "all"}, flags...)...); r.code != 0 && r.code != 3 {
			t.Fatalf("audit of %s: exit code %d:\n%s", model, r.code, r.both())
		}
	}
	return out
}

// begin makes a workspace in which everything is filled in.
func begin(t *testing.T, submitter string) (workspace string) {
	t.Helper()
	workspace = filepath.Join(t.TempDir(), "submission")
	harness(t, "submission", "init", "--workspace", workspace, "--submitter", submitter, "--system", "box",
		"--system-type", "edge").wantCode(t, 0).wantOutput(t, "status: available, preview or rdi")
	path := filepath.Join(workspace, "systems", "box.json")
	var fields map[string]string
	readJSON(t, path, &fields)
	for name, value := range fields {
		if strings.HasPrefix(value, "FILL IN") {
			fields[name] = "known to a person"
		}
	}
	fields["status"] = "available"
	putJSON(t, path, fields)
	said := map[string]string{"input_data_types": "int64", "retraining": "N"}
	putJSON(t, filepath.Join(workspace, "measurements.json"), said)
	return workspace
}

func putJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The way of three benchmarks from runs of seconds to a tree, on which the check finds what is wrong with runs of
// seconds, and nothing else.
func TestSubmissionOfRehearsals(t *testing.T) {
	workspace, tree := begin(t, "Лаборатория"), filepath.Join(t.TempDir(), "tree")
	bert := rehearse(t, true, "bert", "--scenario", "SingleStream")
	outs := []string{
		bert, rehearse(t, false, "llama3.1-8b-edge", "--scenario", "SingleStream,Offline"),
		rehearse(t, true, "3d-unet", "--scenario", "Offline", "--count", "2", "--set", "min_query_count=2"),
	}
	in := []string{"--workspace", workspace}
	refused := harness(t, slices.Concat([]string{"submission", "add"}, in, outs)...).wantCode(t, 2)
	for _, want := range []string{"--loadgen official", "--official", "--model and --dataset", "with --rehearsal"} {
		if !strings.Contains(refused.stderr, want) {
			t.Errorf("refused without %s: %s", want, refused.stderr)
		}
	}
	add := slices.Concat([]string{"submission", "add", "--rehearsal"}, in)
	harness(t, append(add, outs...)...).wantCode(t, 0).wantOutput(t, "everything is filled in",
		"marked, not to be submitted: a rehearsal")
	if r := harness(t, append(add, bert)...).wantCode(t, 2); !strings.Contains(r.stderr, "was added already") {
		t.Errorf("a second time: %s", r.stderr)
	}
	build := slices.Concat([]string{"submission", "build", "--rules", "v6.1", "--out", tree}, in)
	harness(t, append(build, "--dry-run")...).wantCode(t, 0).wantOutput(t, "performance/run_1/mlperf_log_detail.txt\n"+
		"    copy of "+bert)
	if _, err := os.Stat(tree); err == nil {
		t.Fatal("--dry-run has written a tree")
	}
	harness(t, build...).wantCode(t, 0).wantOutput(t, "inferred, as no run of Offline was added")
	harness(t, build...).wantCode(t, 2)
	harness(t, append(build, "--force")...).wantCode(t, 0)
	wantFindings(t, tree)
}

// wantFindings compares what the check finds with what is wrong with runs of seconds.
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
