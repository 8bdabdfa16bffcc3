package models

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestPointPainting runs the embedded networks, scores the log again, and in make test-all audits them; e2e/submission
// tests the other audits. The few queries of a test have no 99.9th percentile, so it asks for another one.
func TestPointPainting(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	harness.Run(t, "run", "pointpainting", "--mode", "accuracy", "--smoke", "--quiet", "--out", out).WantCode(t, 0)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil || len(doc.Runs[0].Accuracy.Metrics) != 4 {
		t.Fatalf("%+v, want one accuracy run of four metrics", doc.Runs)
	}
	harness.Run(t, "score", out).WantCode(t, 0)
	testfile.RequireText(t, "'Total': ", out, "pointpainting", "SingleStream", "accuracy", "accuracy.txt")
	testfile.RequireText(t, "accepts any model above 0.54 percent", out, "result.json")

	if !slow.All() {
		return
	}
	audited := filepath.Join(t.TempDir(), "audited")
	harness.EitherWay(t, harness.Run(t, "audit", "TEST01", "pointpainting", "--rules", "v6.0", "--scenario",
		"SingleStream", "--smoke",
		"--set", "min_query_count=64", "--set", "target_latency=20", "--set", "target_latency_percentile=90", "--quiet",
		"--out", audited))
	testfile.RequireText(t, "TEST PASS", audited, "pointpainting", "SingleStream", "TEST01", "verify_accuracy.txt")
}

// TestOfficialAccuracyOfPointPainting runs the official script on the harness's log of the plugin's own streets in the
// official layout. PLUMBLINE_MLC names a checkout with it, PYTHON an interpreter with its imports.
func TestOfficialAccuracyOfPointPainting(t *testing.T) {
	tools := os.Getenv("PLUMBLINE_MLC")
	if tools == "" {
		t.Skip("PLUMBLINE_MLC names no checkout of the official tools: make test-official OF=accuracy MLC=DIR runs this")
	}
	dir := t.TempDir()
	data, out := filepath.Join(dir, "waymo"), filepath.Join(dir, "out")
	harness.Run(t, "dataset", "export", "pointpainting", data).WantCode(t, 0)
	harness.Run(t, "run", "pointpainting", "--dataset", data, "--mode", "accuracy", "--smoke", "--out", out).WantCode(t, 0)
	folder := filepath.Join(out, "pointpainting", "SingleStream", "accuracy")
	cmd := exec.Command(cmp.Or(os.Getenv("PYTHON"), "python3"),
		filepath.Join(tools, "automotive", "3d-object-detection", "accuracy_waymo.py"),
		"--mlperf-accuracy-file", filepath.Join(folder, "mlperf_log_accuracy.json"), "--waymo-dir", data)
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	line := regexp.MustCompile(`np\.float64\(([^)]*)\)`).ReplaceAllString(string(said), "$1") // as NumPy 2 prints them
	ours, _, _ := strings.Cut(testfile.Read(t, filepath.Join(folder, "accuracy.txt")), "\n")
	if !strings.HasPrefix(ours, "{'Pedestrian': [") || !strings.Contains(line, ours) {
		t.Errorf("the official script says\n%s\nwant\n%s", said, ours)
	}
}
