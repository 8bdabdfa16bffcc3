package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// measured makes a tree of an edge system with a SingleStream run.
func measured(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "tree")
	for name, text := range map[string]string{
		"systems/box.json": `{"system_type": "edge"}`,
		"results/box/bert-99/SingleStream/performance/run_1/mlperf_log_detail.txt": `:::MLLOG ` +
			`{"key": "effective_scenario", "value": "SingleStream", "time_ms": 0.1, "namespace": "mlperf::logging", ` +
			`"event_type": "POINT_IN_TIME", "metadata": {"is_error": false, "is_warning": false, ` +
			`"file": "x", "line_no": 1, "pid": 1, "tid": 1}}` + "\n",
	} {
		path := filepath.Join(root, "closed", "Lab", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSubmissionPrepare(t *testing.T) {
	s := newShell(t)
	root := measured(t)
	s.want(0, s.run("submission", "prepare", root, "--out", s.out()),
		"copied   closed/Lab/results/box/bert-99/SingleStream", "to  closed/Lab/results/box/bert-99/Offline",
		"let edge systems infer Offline from SingleStream", "new tree in "+s.out())
	s.want(0, s.run("submission", "prepare", s.out(), "--out", s.out()+"2"), "nothing was to be completed")
	s.want(6, s.run("submission", "prepare", root, "--out", s.out()), "is there already")
	s.want(2, s.run("submission", "prepare", root, "--out", "x", "--rules", "v9"), "v6.1")
	s.want(2, s.run("submission", "prepare", t.TempDir(), "--out", s.out()+"3"), "no submission")
	s.want(2, s.run("submission", "prepare", root), "--out NEW is missing")
	s.want(2, s.run("submission", "prepare", root, "--out", "x", "--keep-structure"), "goes with --compatible only")
}

func TestSubmissionPrepareAsTheOfficialTool(t *testing.T) {
	s := newShell(t)
	official := []string{"submission", "prepare", measured(t), "--out", s.out(), "--compatible"}
	s.want(0, s.run(append(official, "--version", "v6.1", "--nomove-failed-to-open")...),
		"WARNING:main:SingleStream scenario result is invalid for box: bert-99 in closed division. Accuracy: False, "+
			"Performance: False. Removing all dependent scenario results...", "rmtree closed/Lab/results/box/bert-99\n")
	s.want(1, s.run(official...), "ERROR:main:output directory "+s.out()+" already exists")
	s.want(1, s.run("submission", "prepare", measured(t), "--out", s.out()+"2", "--compatible"), "does not know the round")
}
