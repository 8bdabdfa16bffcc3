package submission_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
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
	s := clitest.New(t)
	root := measured(t)
	s.Want(0, s.Run("submission", "prepare", root, "--out", s.Out()),
		"copied   closed/Lab/results/box/bert-99/SingleStream", "to  closed/Lab/results/box/bert-99/Offline",
		"let edge systems infer Offline from SingleStream", "new tree in "+s.Out())
	s.Want(0, s.Run("submission", "prepare", s.Out(), "--out", s.Out()+"2"), "nothing was to be completed")
	s.Want(6, s.Run("submission", "prepare", root, "--out", s.Out()), "is there already")
	s.Want(2, s.Run("submission", "prepare", root, "--out", "x", "--rules", "v9"), "v6.1")
	s.Want(2, s.Run("submission", "prepare", t.TempDir(), "--out", s.Out()+"3"), "no submission")
	s.Want(2, s.Run("submission", "prepare", root), "--out NEW is missing")
	s.Want(2, s.Run("submission", "prepare", root, "--out", "x", "--keep-structure"), "goes with --compatible only")
}

func TestSubmissionPrepareAsTheOfficialTool(t *testing.T) {
	s := clitest.New(t)
	official := []string{"submission", "prepare", measured(t), "--out", s.Out(), "--compatible"}
	s.Want(0, s.Run(append(official, "--version", "v6.1", "--nomove-failed-to-open")...),
		"WARNING:main:SingleStream scenario result is invalid for box: bert-99 in closed division. Accuracy: False, "+
			"Performance: False. Removing all dependent scenario results...", "rmtree closed/Lab/results/box/bert-99\n")
	s.Want(1, s.Run(official...), "ERROR:main:output directory "+s.Out()+" already exists")
	s.Want(1, s.Run("submission", "prepare", measured(t), "--out", s.Out()+"2", "--compatible"), "does not know the round")
}
