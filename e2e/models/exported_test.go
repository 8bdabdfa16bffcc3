package models

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// exportedClassifier is a run of a classifier whose tensors are not those of the official file.
type exportedClassifier struct {
	name   string
	graph  *onnxfile.Graph
	params string   // that the file cannot determine
	chosen string   // parameters that the file determines, in the result's note
	notes  []string // others in the result
}

// exportedClassifiers returns the forms in which exporters write classifiers.
func exportedClassifiers() []exportedClassifier {
	form := func(change func(*tinymodel.ClassifierForm)) *onnxfile.Graph {
		f := tinymodel.ClassifierForm{Element: onnxfile.Float, Size: 224, Classes: 1000, Answer: "logits"}
		change(&f)
		return f.Graph()
	}
	type of = *tinymodel.ClassifierForm
	classify := form(func(of) {})
	classify.Metadata = map[string]string{"task": "classify", "names": "{0: 'tench'}"}
	scores := "input=pixel_values output=logits answer=scores offset=0"
	return []exportedClassifier{
		{name: "NCHW", graph: form(func(of) {}), chosen: scores, notes: []string{
			"offset=0 because the model has 1000 classes", "preprocess=vgg is the default"}},
		{name: "NHWC", graph: form(func(f of) { f.NHWC = true }), chosen: scores + " layout=nhwc",
			notes: []string{"layout=nhwc because the input is pixel_values float32 [?,224,224,3]"}},
		{name: "float16", graph: form(func(f of) { f.Element = onnxfile.Float16 }), chosen: scores +
			" input_type=float16",
			notes: []string{"scores are float16, and were widened"}},
		{name: "uint8", graph: form(func(f of) { f.Element = onnxfile.Uint8 }),
			chosen: scores + " input_type=uint8 preprocess=pixels",
			notes:  []string{"so the model normalises pictures itself"}},
		{name: "256 pixels", graph: form(func(f of) { f.Size = 256 }), chosen: scores + " size=256",
			notes: []string{"256 x 256 pixels (size=256)"}},
		{name: "1001 classes", graph: form(func(f of) { f.Classes = 1001 }),
			chosen: "input=pixel_values output=logits answer=scores"},
		{name: "softmax, one batch", graph: form(func(f of) { f.Answer, f.Batch = "softmax", 4 }),
			chosen: "input=pixel_values output=probabilities answer=scores offset=0"},
		{name: "class and scores", graph: form(func(f of) { f.Answer = "both" }),
			chosen: "input=pixel_values output=class offset=0"},
		{name: "class", graph: form(func(f of) { f.Answer = "class" }), params: "offset=0",
			chosen: "input=pixel_values output=class"},
		{name: "scores [N,K,1,1]", graph: form(func(f of) { f.Ones = 2 }), chosen: scores},
		{name: "the user's values", graph: form(func(f of) { f.Answer = "both" }),
			params: "answer=scores preprocess=mobilenet",
			chosen: "input=pixel_values output=logits offset=0"},
		{name: "Ultralytics", graph: classify, params: "preprocess=mobilenet", chosen: scores},
	}
}

// TestExportedClassifiers runs classifiers whose tensors are not those of the official file. The model file determines
// parameters, the result lists them, and the answers equal those of a run with these parameters.
func TestExportedClassifiers(t *testing.T) {
	t.Parallel()
	data := exportedPictures(t)
	for _, c := range exportedClassifiers() {
		t.Run(c.name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model.onnx")
			if err := c.graph.Write(model); err != nil {
				t.Fatal(err)
			}
			byFile := runExported(t, "resnet50", data, model, c.params)
			byUser := runExported(t, "resnet50", data, model, c.params+" "+c.chosen)
			if len(byFile.log) == 0 || byFile.log != byUser.log {
				t.Error("the answers differ from those with explicit parameters")
			}
			if byFile.accuracy != officialdata.ImageNetAccuracy || byUser.accuracy != byFile.accuracy {
				t.Errorf("accuracy %v, with explicit parameters %v, want %v", byFile.accuracy, byUser.accuracy,
					officialdata.ImageNetAccuracy)
			}
			for _, chosen := range strings.Fields(c.chosen) {
				if !strings.Contains(byFile.text, chosen+" because ") || strings.Contains(byUser.text,
					chosen+" because ") {
					t.Errorf("%s: want a note about the choice, and none if the user has set it", chosen)
				}
			}
			for _, note := range c.notes {
				if !strings.Contains(byFile.text, note) {
					t.Errorf("the result does not say %q", note)
				}
			}
		})
	}
}

// TestExportedClassifiersRefused gives files that leave a choice or do not fit. The command ends before the run, and
// names the parameters that help.
func TestExportedClassifiersRefused(t *testing.T) {
	t.Parallel()
	data := exportedPictures(t)
	form := tinymodel.ClassifierForm{Element: onnxfile.Float, Size: 224, Classes: 1000, Answer: "logits"}
	class, pair, many, open, detector, classify := form, form, form, form, form.Graph(), form.Graph()
	class.Answer, pair.Inputs, many.Classes, open.Size = "class", 2, 900, -1
	detector.Metadata = map[string]string{"task": "detect"}
	classify.Metadata = map[string]string{"task": "classify"}
	twoOutputs, grey := form.Graph(), &onnxfile.Graph{}
	twoOutputs.AddNamedNode([]string{"other"}, "Identity", []string{"logits"})
	twoOutputs.AddOutput("other", onnxfile.Float, -1, 1000)
	grey.AddNamedNode([]string{"y"}, "Identity", []string{grey.AddInput("x", onnxfile.Float, -1, 1, 28, 28)})
	grey.AddOutput("y", onnxfile.Float, -1, 1, 28, 28)
	square := form.Graph()
	square.Inputs[0].Shape = []int64{-1, 3, 224, 192}
	bothLayouts := open.Graph()
	bothLayouts.Inputs[0].Shape = []int64{-1, -1, -1, -1}
	for _, c := range []struct {
		name   string
		graph  *onnxfile.Graph
		params string
		code   int
		want   []string
	}{
		{"class without scores", class.Graph(), "", 2, []string{"--param offset=0", "--param offset=1"}},
		{"two inputs", pair.Graph(), "", 2, []string{"--param input=pixel_values or --param input=pixel_values_2"}},
		{"two outputs", twoOutputs, "", 2, []string{"--param output=logits or --param output=other"}},
		{"both layouts", bothLayouts, "", 2, []string{"--param layout=nchw or --param layout=nhwc"}},
		{"grey pictures", grey, "", 6, []string{"no input that fits: it has x float32 [?,1,28,28]",
			"--param input=NAME",
			"no output that fits", "--param output=NAME"}},
		{"not square", square, "", 6, []string{"224 x 192 pixels: want a square"}},
		{"another layout of the user's", form.Graph(), "layout=nhwc", 6, []string{"no input that fits"}},
		{"detector", detector, "", 6, []string{"task = detect, want classify", "yolo-95"}},
		{"Ultralytics", classify, "", 6, []string{"--param preprocess=NAME"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model.onnx")
			if err := c.graph.Write(model); err != nil {
				t.Fatal(err)
			}
			r, out := startExported(t, "resnet50", data, model, c.params)
			r.WantCode(t, c.code)
			for _, want := range c.want {
				r.WantError(t, want)
			}
			if _, err := os.Stat(filepath.Join(out, "result.json")); !os.IsNotExist(err) {
				t.Errorf("result.json: %v, want no run", err)
			}
		})
	}
}

// TestExportedDetector runs a detector with another output's name and a second output. The file determines the output,
// and its metadata the task.
func TestExportedDetector(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, model := filepath.Join(dir, "coco_safe"), filepath.Join(dir, "model.onnx")
	if err := officialdata.COCOWithLicences(filepath.Join(dir, "coco")); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "dataset", "convert", "yolo-99", "safe", filepath.Join(dir, "coco"), data).WantCode(t, 0)
	g := tinymodel.YOLO()
	g.AddNamedNode([]string{"detections"}, "Identity", []string{"output0"})
	g.AddNamedNode([]string{"pictures"}, "Identity", []string{"images"})
	g.Outputs[0].Name = "detections"
	g.AddOutput("pictures", onnxfile.Float, 1, 3, 640, 640)
	g.Metadata = map[string]string{"task": "detect", "names": "{0: 'person', 1: 'bicycle', 2: 'car'}"}
	if err := g.Write(model); err != nil {
		t.Fatal(err)
	}
	byFile := runExported(t, "yolo-99", data, model, "")
	byUser := runExported(t, "yolo-99", data, model, "output=detections")
	if byFile.log != byUser.log || byFile.accuracy <= 0 || byFile.accuracy != byUser.accuracy {
		t.Errorf("mAP %v, with explicit parameters %v; want equal answers", byFile.accuracy, byUser.accuracy)
	}
	const note = "output=detections because the output is detections float32 [1,84,8400]"
	if !strings.Contains(byFile.text, note) || strings.Contains(byUser.text, note) {
		t.Errorf("want a note about the choice, and none if the user has set it")
	}
	g.Metadata["task"] = "segment"
	if err := g.Write(model); err != nil {
		t.Fatal(err)
	}
	r, _ := startExported(t, "yolo-99", data, model, "")
	r.WantCode(t, 6).WantError(t, "task = segment, want detect")
}

// TestBatchOfOneInside runs a model that declares a free batch size but only works with one picture. The error names
// the flag that helps.
func TestBatchOfOneInside(t *testing.T) {
	t.Parallel()
	model := filepath.Join(t.TempDir(), "model.onnx")
	if err := tinymodel.OneAtATime().Write(model); err != nil {
		t.Fatal(err)
	}
	r, _ := startExported(t, "resnet50", exportedPictures(t), model, "")
	r.WantCode(t, 6).WantError(t, "--batch 1")
}

// exportedPictures writes the pictures of ImageNet and returns their folder.
func exportedPictures(t *testing.T) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "imagenet")
	if err := officialdata.ImageNet(data); err != nil {
		t.Fatal(err)
	}
	return data
}

// startExported runs a model with parameters that are separated by blanks.
func startExported(t *testing.T, benchmark, data, model, params string) (harness.Result, string) {
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"run", benchmark, "--model", model, "--dataset", data, "--scenario", "Offline", "--mode",
		"accuracy", "--smoke", "--out", out}
	for _, p := range strings.Fields(params) {
		args = append(args, "--param", p)
	}
	return harness.Run(t, args...), out
}

// exportedRun is what a run of an exported model left.
type exportedRun struct {
	accuracy  float64
	text, log string // of result.json and of the accuracy log
}

func runExported(t *testing.T, benchmark, data, model, params string) exportedRun {
	t.Helper()
	r, out := startExported(t, benchmark, data, model, params)
	r.WantCode(t, 0)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	logs, err := filepath.Glob(filepath.Join(out, "*", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("accuracy logs %v, %v, want one", logs, err)
	}
	return exportedRun{doc.Runs[0].Accuracy.Metrics[0].Value, readText(t, filepath.Join(out, "result.json")),
		sortedEntries(readText(t, logs[0]))}
}

// sortedEntries returns the entries of an accuracy log, whose order depends on the batches.
func sortedEntries(log string) string {
	lines := strings.Split(log, "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], ",")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
