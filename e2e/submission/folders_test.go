package submission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
)

// TestBareFolders gives folders of logs to the commands that accept a run: those of one run, of a result, of a system,
// of a submitter, and a whole repository of published results.
func TestBareFolders(t *testing.T) {
	root := t.TempDir()
	older, newer, out := filepath.Join(root, "older"), filepath.Join(root, "newer"), filepath.Join(root, "out")
	treetest.Write(t, older, "v5.1", treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1e-3},
		treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 2e-3, Submitter: "Works"})
	treetest.Write(t, newer, "v6.1", treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 4e-3})
	harness.Run(t, "run", "resnet50", "--scenario", "Offline", "--out", out, "--quiet", "--count", "16",
		"--set", "min_query_count=16").WantCode(t, 0)

	harness.Run(t, "rank", out, older, newer).WantCode(t, 0).WantOutput(t, "resnet Offline, closed division",
		"would be place 1 of 4, among 3 published results", "a rehearsal", "v5.1", "v6.1")

	system := filepath.Join("closed", "Lab", "results", "box")
	result := filepath.Join(system, "resnet50", "Offline")
	for _, folder := range []string{"", filepath.Join("closed", "Lab"), system, result,
		filepath.Join(result, "performance", "run_1")} {
		harness.Run(t, "report", filepath.Join(older, folder)).WantCode(t, 0).WantOutput(t, "resnet50 Offline", "VALID")
	}
	harness.Run(t, "compare", filepath.Join(older, result), filepath.Join(newer, result), "--allow-unlike",
		"rules,settings,loadgen").WantCode(t, 0).WantOutput(t, "resnet50 Offline")
	harness.Run(t, "rank", filepath.Join(newer, system), older, "--scenario", "Offline").WantCode(t, 0).
		WantOutput(t, "place 1 of 3")
	for _, folder := range []string{"", filepath.Join("closed", "Lab"), filepath.Join(system, "resnet50")} {
		harness.Run(t, "audit", "verify", filepath.Join(newer, folder)).WantOutput(t, "TEST01", "TEST04")
	}

	logs := filepath.Join(root, "logs")
	if err := os.CopyFS(logs, os.DirFS(filepath.Join(out, "resnet50", "Offline", "accuracy"))); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "score", logs, "--benchmark", "resnet50").WantCode(t, 0).WantOutput(t, "acc")
}

// TestFoldersThatAreNoResults: the first line names what is wrong with a tree.
func TestFoldersThatAreNoResults(t *testing.T) {
	made := func(rounds ...string) string {
		root := t.TempDir()
		for i, round := range rounds {
			treetest.Write(t, root, round, treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000,
				Submitter: []string{"Lab", "Works"}[i]})
		}
		return root
	}
	pointers, half, links := made("v6.0"), made("v6.0"), made("v6.0")
	everyLog(t, pointers, func(name string) error {
		return os.WriteFile(name, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"), 0o666)
	})
	everyLog(t, half, os.Remove)
	everyLog(t, links, func(name string) error {
		away := filepath.Join(t.TempDir(), "log")
		if err := os.Rename(name, away); err != nil {
			return err
		}
		return os.Symlink(away, name)
	})
	program := t.TempDir()
	if err := os.WriteFile(filepath.Join(program, "main.go"), []byte("package main\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for tree, want := range map[string]string{
		made("v5.1", "v6.0"): "holds runs of v5.1 and of v6.0",
		pointers:             "are pointers of Git LFS",
		half:                 "has no log of a performance run that says its seeds",
		links:                "has no log of a performance run that says its seeds",
		program:              "want closed, network or open there",
	} {
		for _, command := range []string{"results", "check", "review"} {
			harness.Run(t, "submission", command, tree).WantError(t, want)
		}
	}
}

// everyLog calls a function for each log of a tree.
func everyLog(t *testing.T, root string, do func(name string) error) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "mlperf_log_") {
			return do(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
