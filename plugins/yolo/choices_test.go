package yolo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// exported writes a model file without nodes: an input of an element type with these sides, and the outputs.
func exported(t *testing.T, element onnxfile.DType, side int64, metadata map[string]string,
	outputs ...onnxfile.Tensor) string {
	t.Helper()
	g := &onnxfile.Graph{Outputs: outputs, Metadata: metadata}
	g.AddInput("x", element, 1, 3, side, side)
	path := filepath.Join(t.TempDir(), "yolo.onnx")
	if err := g.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestParamsOfTheFile(t *testing.T) {
	boxes := func(rows int64) onnxfile.Tensor {
		return onnxfile.Tensor{Name: "y", DType: onnxfile.Float, Shape: []int64{1, rows, -1}}
	}
	masks := onnxfile.Tensor{Name: "a", DType: onnxfile.Float, Shape: []int64{1, 32, 160, 160}}
	others := boxes(84)
	others.Name = "z"
	const coco = "{0: 'person', 1: 'bicycle', 2: 'car'}"
	w, err := opened(t, sdk.Options{ModelFile: exported(t, onnxfile.Float16, -1, map[string]string{
		"task": "detect", "imgsz": "[320, 320]", "names": "{0: 'face', 1: 'hand'}",
	}, masks, boxes(6))})
	if err != nil {
		t.Fatal(err)
	}
	if w.Input != "x" || w.ElementType != backend.Float16 || w.Output != "y" || w.letterbox.Size != 320 ||
		w.COCOLabels {
		t.Errorf("%+v", w.yoloBinding)
	}
	for _, want := range []string{"input=x because the input is x float16 [1,3,?,?]", "input_type=float16", "output=y",
		"labels=own because", "size=320 because imgsz"} {
		if notes := strings.Join(w.RunNotes().Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	w, err = opened(t, sdk.Options{ModelFile: exported(t, onnxfile.Float, 320, map[string]string{"names": coco},
		boxes(7)),
		Params: map[string]string{"size": "320"}})
	if err != nil || !w.COCOLabels || w.letterbox.Size != 320 {
		t.Errorf("%+v, %v, want COCO's names at 320 pixels", w, err)
	}
	w, err = opened(t, sdk.Options{ModelFile: exported(t, onnxfile.Float, -1, map[string]string{"imgsz": "[320, 320]",
		"names": "{0: 'face'}"}, boxes(5)), Params: map[string]string{"size": "192", "labels": "coco"}})
	if err != nil || !w.COCOLabels || w.letterbox.Size != 192 {
		t.Errorf("%+v, %v, want the user's values", w, err)
	}
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"another task": {exported(t, onnxfile.Float, 640, map[string]string{"task": "pose"}, boxes(56)),
			[]string{"task = pose, want detect"}},
		"bytes": {exported(t, onnxfile.Uint8, 640, nil, boxes(84)), []string{"x uint8",
			"float32 or float16 [N,3,H,W]"}},
		"no boxes": {exported(t, onnxfile.Float, 640, nil, masks), []string{"no output that fits",
			"--param output=NAME"}},
		"two outputs": {exported(t, onnxfile.Float, 640, nil, boxes(84), others),
			[]string{"--param output=y or --param output=z"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := opened(t, sdk.Options{ModelFile: c.file})
			sdktest.WantError(t, err, c.want...)
		})
	}
}

func TestCOCONames(t *testing.T) {
	for names, want := range map[string]bool{
		"{0: 'person', 1: 'bicycle', 2: 'car'}": true, "{0: 'person'}": true, `{"0": "person", "1": "bicycle"}`: true,
		"['person', 'bicycle']": true, "{0: 'person', 1: 'car'}": false, "{0: 'personnel'}": false, "": false,
	} {
		if areCOCONames(names) != want {
			t.Errorf("%s: want %v", names, want)
		}
	}
}
