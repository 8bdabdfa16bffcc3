package models

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// TestExportedClassifiers runs classifiers whose tensors differ from the official file's: with the parameters that the
// errors name, they reach the same accuracy, and the result reports what was done.
func TestExportedClassifiers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "imagenet")
	if err := officialdata.ImageNet(data); err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, model string, params ...string) (harness.Result, string) {
		out := filepath.Join(t.TempDir(), "out")
		args := []string{"run", "resnet50", "--model", model, "--dataset", data, "--scenario", "Offline", "--mode",
			"accuracy",
			"--smoke", "--out", out}
		for _, p := range params {
			args = append(args, "--param", p)
		}
		return harness.Run(t, args...), out
	}
	base := []string{"input=pixel_values", "output=logits", "answer=scores"}
	for _, c := range []struct {
		name    string
		graph   *onnxfile.Graph
		missing string   // what the error without params names
		params  []string // besides base
		notes   []string // in the result
	}{
		{"float16", tinymodel.ExportedClassifier(onnxfile.Float16, 224, 0), "input_type=float32, float16 or uint8",
			[]string{"input_type=float16"}, []string{"the model's input is float16", "scores are float16, and were widened"}},
		{"uint8", tinymodel.ExportedClassifier(onnxfile.Uint8, 224, 0), "input_type=float32, float16 or uint8",
			[]string{"input_type=uint8", "preprocess=pixels"}, []string{"the model's input is uint8"}},
		{"256 pixels", tinymodel.ExportedClassifier(onnxfile.Float, 256, 0), "size=PIXELS", []string{"size=256"},
			[]string{"256 x 256 pixels (size=256)"}},
		{"scores [N,K,1,1]", tinymodel.ExportedClassifier(onnxfile.Float, 224, 2), "", nil, nil},
		{"a batch of 1 inside", tinymodel.OneAtATime(), "--batch 1", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model.onnx")
			if err := c.graph.Write(model); err != nil {
				t.Fatal(err)
			}
			if c.missing != "" {
				r, _ := run(t, model, base...)
				if r.WantCode(t, 6); !strings.Contains(r.Both(), c.missing) {
					t.Errorf("the error does not name %s:\n%s", c.missing, r.Both())
				}
			}
			if c.params == nil && c.missing != "" {
				return // no parameter repairs it
			}
			r, out := run(t, model, append(base, c.params...)...)
			r.WantCode(t, 0)
			var doc results.Document
			testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
			if got := doc.Runs[0].Accuracy.Metrics[0].Value; got != officialdata.ImageNetAccuracy {
				t.Errorf("accuracy %v, want %v", got, officialdata.ImageNetAccuracy)
			}
			text, err := os.ReadFile(filepath.Join(out, "result.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, note := range c.notes {
				if !strings.Contains(string(text), note) {
					t.Errorf("the result does not say %q", note)
				}
			}
		})
	}
}
