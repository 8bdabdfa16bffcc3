package models

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// TestYOLO runs the embedded model in its three scenarios, scores it again, in both shapes, and audits it.
func TestYOLO(t *testing.T) {
	out := t.TempDir()
	const all = "SingleStream,MultiStream,Offline"
	first := func(n string) []string {
		return []string{"--count", n, "--smoke", "--set", "min_query_count=" + n, "--quiet"}
	}
	harness.Run(t, append([]string{"run", "yolo-99", "--scenario", all, "--mode", "accuracy", "--out", out},
		first("24")...)...).WantCode(t, 0)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 3 {
		t.Fatalf("%+v, want three scenarios", doc.Runs)
	}
	scores := map[string]float64{}
	for _, m := range doc.Runs[0].Accuracy.Metrics {
		scores[m.Name] = m.Value
	}
	if scores["mAP"] < 30 {
		t.Errorf("scores %v", scores)
	}
	for _, run := range doc.Runs {
		wantScores(t, run.Scenario, scores, run.Accuracy.Metrics)
	}
	harness.Run(t, "score", out).WantCode(t, 0)
	testfile.RequireText(t, "shape=fixed", out, "result.json")
	testfile.RequireText(t, "releases 8.4.190 on", out, "result.json")

	rect := filepath.Join(t.TempDir(), "rect")
	harness.Run(t, append([]string{"run", "yolo-95", "--scenario", "Offline", "--mode", "accuracy", "--param",
		"shape=rect",
		"--param", "unletterbox=8.3", "--batch", "8", "--out", rect}, first("24")...)...).WantCode(t, 0)
	testfile.RequireText(t, "shape=rect", rect, "result.json")
	testfile.RequireText(t, "8.3 to 8.4.0", rect, "result.json")
	testfile.ReadJSON(t, filepath.Join(rect, "result.json"), &doc)
	for _, m := range doc.Runs[0].Accuracy.Metrics {
		if m.Name == "mAP" && (m.Value < 30 || m.Value == scores["mAP"]) {
			t.Errorf("mAP %v without borders, %v with them", m.Value, scores["mAP"])
		}
	}

	audited := filepath.Join(t.TempDir(), "audited")
	harness.EitherWay(t, harness.Run(t, append([]string{"audit", "TEST01", "yolo-99", "--scenario", "SingleStream",
		"--set",
		"target_latency=1", "--out", audited}, first("64")...)...))
	testfile.RequireText(t, "TEST PASS", audited, "yolo-99", "SingleStream", "TEST01", "verify_accuracy.txt")
}

// TestOfficialAccuracyScript runs the official script on the harness's log of pictures in the official layout, and
// compares line by line. PLUMBLINE_MLC names a checkout with it, PYTHON an interpreter with pycocotools.
func TestOfficialAccuracyScript(t *testing.T) {
	tools := os.Getenv("PLUMBLINE_MLC")
	if tools == "" {
		t.Skip("PLUMBLINE_MLC names no checkout of the official tools: make test-official OF=accuracy MLC=DIR runs this")
	}
	dir := t.TempDir()
	model, data, out := filepath.Join(dir, "yolo11l.onnx"), filepath.Join(dir, "coco_safe"), filepath.Join(dir, "out")
	if err := tinymodel.YOLO().Write(model); err != nil {
		t.Fatal(err)
	}
	if err := officialdata.COCOWithLicences(filepath.Join(dir, "coco")); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "dataset", "convert", "yolo-99", "safe", filepath.Join(dir, "coco"), data).WantCode(t, 0)
	harness.Run(t, "run", "yolo-99", "--model", model, "--dataset", data, "--scenario", "SingleStream,MultiStream,Offline",
		"--mode", "accuracy", "--smoke", "--out", out).WantCode(t, 0)
	for _, scenario := range []string{"SingleStream", "MultiStream", "Offline"} {
		folder := filepath.Join(out, "yolo-99", scenario, "accuracy")
		python := os.Getenv("PYTHON")
		if python == "" {
			python = "python3"
		}
		cmd := exec.Command(python,
			filepath.Join(tools, "vision", "classification_and_detection", "tools", "accuracy-coco.py"),
			"--mlperf-accuracy-file", filepath.Join(folder, "mlperf_log_accuracy.json"), "--coco-dir", data)
		cmd.Dir = dir // where the script leaves its detections
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		ours, _, _ := strings.Cut(testfile.Read(t, filepath.Join(folder, "accuracy.txt")), "\nhash=")
		if ours = strings.TrimSpace(ours); !strings.HasSuffix(ours, "%") || !strings.Contains(string(said), ours) {
			t.Errorf("%s: the official script says\n%s\nwant\n%s", scenario, said, ours)
		}
	}
}
