package submission

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestSubmissionPrepareAndPackGolden: a tree with one measured scenario is completed, checked, packed and unpacked.
func TestSubmissionPrepareAndPackGolden(t *testing.T) {
	dir := t.TempDir()
	root, whole := filepath.Join(dir, "tree"), filepath.Join(dir, "whole")
	untar(t, filepath.Join(golden.Root(t), "submission", "base", "edge.tar.gz"), root)
	benchmark := filepath.Join(root, "closed", "Toylab", "results", "toy_edge", "resnet50")
	for _, scenario := range []string{"MultiStream", "Offline"} {
		if err := os.RemoveAll(filepath.Join(benchmark, scenario)); err != nil {
			t.Fatal(err)
		}
	}
	harness.Run(t, "submission", "check", root).WantCode(t, 3)
	harness.Run(t, "submission", "prepare", root, "--out", whole).WantCode(t, 0).WantOutput(t,
		"to  closed/Toylab/results/toy_edge/resnet50/MultiStream", "to  closed/Toylab/results/toy_edge/resnet50/Offline")
	harness.Run(t, "submission", "check", whole).WantCode(t, 0)
	harness.Run(t, "submission", "check", whole, "--compatible").WantCode(t, 0).WantOutput(t, "official: ok")
	harness.Run(t, "submission", "truncate", whole, "--keep", filepath.Join(dir, "originals")).WantCode(t, 0).
		WantOutput(t, "done before, original not in the store")
	harness.Run(t, "submission", "repository", whole).WantCode(t, 0)
	file := filepath.Join(dir, "lab.tar.gz")
	harness.Run(t, "submission", "pack", whole, "--out", file).WantCode(t, 0).WantOutput(t, "read again and compared")
	harness.Run(t, "submission", "pack", "--unpack", file, "--out", filepath.Join(dir, "out")).WantCode(t, 0)
	harness.Run(t, "submission", "check", filepath.Join(dir, "out")).WantCode(t, 0)
	harness.Run(t, "submission", "pack", root, "--out", file+"2").WantCode(t, 3)
}

// TestSubmissionTruncateKilled: a truncation that is killed at any moment leaves complete files, and the next one
// finishes.
func TestSubmissionTruncateKilled(t *testing.T) {
	dir := t.TempDir()
	accuracy := filepath.Join(dir, "tree", "closed", "Lab", "results", "box", "resnet50", "Offline", "accuracy")
	if err := os.MkdirAll(accuracy, 0o755); err != nil {
		t.Fatal(err)
	}
	log, score := filepath.Join(accuracy, "mlperf_log_accuracy.json"), filepath.Join(accuracy, "accuracy.txt")
	text := strings.Repeat("0123456789abcde\n", 4<<20)
	testfile.Write(t, log, text)
	testfile.Write(t, score, "accuracy=76.460%, good=38230, total=50000\n")
	keep := filepath.Join(dir, "originals")
	cmd := harness.Command(t, built.Harness(), "submission", "truncate", filepath.Join(dir, "tree"), "--keep", keep)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(harness.Patience)
	for entries, _ := os.ReadDir(keep); len(entries) < 2; entries, _ = os.ReadDir(keep) { // the lock, and the original
		if time.Now().After(deadline) {
			t.Fatal("nothing is being kept")
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, or finished
	if info, err := os.Stat(log); err != nil || info.Size() != int64(len(text)) && info.Size() != 8199 {
		t.Errorf("the log is half written: %v, %v", info, err)
	}
	harness.Run(t, "submission", "truncate", filepath.Join(dir, "tree"), "--keep", keep).WantCode(t, 0)
	harness.Run(t, "submission", "truncate", filepath.Join(dir, "tree"), "--keep", keep, "--verify").WantCode(t, 0).
		WantOutput(t, "done before", "1 original read again")
	scored, err := os.ReadFile(score)
	if n := strings.Count(string(scored), "hash="); n != 1 || err != nil {
		t.Errorf("%d hashes, %v", n, err)
	}
	kept, _ := filepath.Glob(filepath.Join(keep, "[^.]*"))
	if len(kept) != 1 || filepath.Ext(kept[0]) != ".json" {
		t.Errorf("the store has %v, want the original alone", kept)
	}
}
