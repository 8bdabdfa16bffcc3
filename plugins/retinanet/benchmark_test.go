package retinanet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	truth "github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// sceneFolder writes the first n evaluation scenes in the layout of OpenImages.
func sceneFolder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	if err := export.Scenes(t.Context(), dir, scenes.Eval(), 0, n); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestModels(t *testing.T) {
	var names []string
	for _, m := range New().Describe().Models {
		names = append(names, m.Name)
		if m.LoadGenKey != m.Name || !slices.Equal(m.Scenarios, loadgen.Scenarios()) {
			t.Errorf("%s: LoadGen key %q, scenarios %v", m.Name, m.LoadGenKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || len(m.Metrics) != 2 || m.Metrics[0].Name != "mAP" || m.Metrics[0].Unit != "%" {
			t.Errorf("%s: data sets %+v, metrics %v", m.Name, m.Datasets, m.Metrics)
		}
	}
	if want := []string{"retinanet", "ssd-mobilenet", "ssd-resnet34"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

func TestOpenModelFile(t *testing.T) {
	file, dir := manifesttest.ModelFile(t), sceneFolder(t, 2)
	cases := []struct {
		model, form           string
		input, boxes          string
		outputs               int
		shape                 []int64
		performance, capacity int
	}{
		{"retinanet", "retinanet", "images", "boxes", 3, []int64{-1, 3, 800, 800}, 2, 2},
		{"ssd-mobilenet", "ssd-mobilenet", "image_tensor:0", "detection_boxes:0", 4, []int64{-1, 300, 300, 3}, 2, 2},
		{"ssd-resnet34", "ssd-resnet34", "image", "bboxes", 3, []int64{-1, 3, 1200, 1200}, 2, 2},
		{"ssd-resnet34", "ssd-resnet34-tf", "image:0", "detection_bboxes:0", 3, []int64{-1, 1200, 1200, 3}, 2, 2},
	}
	for _, c := range cases {
		params := map[string]string{"form": c.form, "dataset": "openimages", "classes": "10"}
		w, err := New().Open(t.Context(), sdk.Options{Model: c.model, ModelFile: file, Dataset: dir, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		m := w.Parts()[0].Model
		if m.Path != file || m.Inputs[0].Name != c.input || !slices.Equal(m.Inputs[0].Shape, c.shape) ||
			m.Outputs[0].Name != c.boxes || len(m.Outputs) != c.outputs {
			t.Errorf("%s: path %q, inputs %v, outputs %v", c.form, m.Path, m.Inputs, m.Outputs)
		}
		if w.Len() != c.capacity {
			t.Errorf("%s: %d samples", c.form, w.Len())
		}
	}
}

func TestTheEmbeddedModelHasAnInputOfItsOwn(t *testing.T) {
	w, err := New().Open(t.Context(), sdk.Options{Model: "ssd-mobilenet", Precision: "int8"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("model", "card.json"))
	if err != nil {
		t.Fatal(err)
	}
	var card struct{ Side int64 } // pixels of the input's sides
	if err := json.Unmarshal(text, &card); err != nil {
		t.Fatal(err)
	}
	shape := []int64{-1, 3, card.Side, card.Side}
	if in := w.Parts()[0].Model.Inputs[0]; in.Name != "images" || !slices.Equal(in.Shape, shape) {
		t.Errorf("input %v", in)
	}
}

func TestOpenReadsThePictures(t *testing.T) {
	params := map[string]string{"classes": "10"}
	read, errRead := New().Open(t.Context(), sdk.Options{Dataset: sceneFolder(t, 3), Count: 2, Params: params})
	drawn, errDrawn := New().Open(t.Context(), sdk.Options{Count: 2})
	if err := errors.Join(errRead, errDrawn); err != nil {
		t.Fatal(err)
	}
	if read.Len() != 2 || drawn.Len() != 2 {
		t.Fatalf("%d and %d samples, want the 2 asked for", read.Len(), drawn.Len())
	}
	a, errA := read.Load(t.Context(), 1)
	b, errB := drawn.Load(t.Context(), 1)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.(*pictures.PictureSample).Data, b.(*pictures.PictureSample).Data) ||
		a.(*pictures.PictureSample).Index != 1 {
		t.Error("a picture read from a file differs from the same one drawn")
	}
}

func TestOpenReportsEveryFault(t *testing.T) {
	broken := sceneFolder(t, 2)
	write(t, filepath.Join(broken, "validation", "data", scenes.Eval().Name(0)), "no picture")
	cases := []struct {
		name  string
		o     sdk.Options
		class error
		want  []string
	}{
		{"no data set", sdk.Options{Dataset: "none"}, sdk.ErrData, []string{"none", "openimages-mlperf.json is missing"}},
		{"no COCO", sdk.Options{Model: "ssd-mobilenet", ModelFile: manifesttest.ModelFile(t), Dataset: "none"}, sdk.ErrData,
			[]string{"instances_val2017.json is missing"}},
		{
			"wrong words",
			sdk.Options{Params: map[string]string{
				"dataset": "voc", "samples": "some", "classes": "many", "size": "0", "threshold": "2",
				"outputs": "a,b", "layout": "chw",
			}},
			sdk.ErrUsage,
			[]string{
				`dataset = "voc"`, `samples = "some"`, `classes = "many"`, `size = "0"`, `threshold = "2"`, `outputs = "a,b"`,
				`layout = "chw"`,
			},
		},
		{
			"all at once",
			sdk.Options{
				Precision: "int4", Dataset: broken, Params: map[string]string{"nms": "1", "form": "yolo", "classes": "11"},
			}, sdk.ErrUsage,
			[]string{`"int4"`, `"nms"`, `"yolo"`, "10 categories, want 11", scenes.Eval().Name(0)},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := New().Open(t.Context(), c.o)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, c.class) {
				t.Errorf("error %q, want one of class %v", err, c.class)
			}
		})
	}
}

// perfect is the payload that finds all of a scene's single objects.
func perfect(i int, p scenes.Picture) []byte {
	var payload []byte
	w, h := float64(p.Width), float64(p.Height)
	for _, o := range p.Objects {
		if o.Crowd {
			continue
		}
		x, y := o.Box[0], o.Box[1]
		for _, v := range []float64{float64(i), y / h, x / w, (y + o.Box[3]) / h, (x + o.Box[2]) / w, 0.9, float64(o.Class)} {
			payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(float32(v)))
		}
	}
	return payload
}

func TestScorerOfDrawnAndExportedScenes(t *testing.T) {
	const n = 6
	dir := sceneFolder(t, n)
	if err := os.RemoveAll(filepath.Join(dir, "validation")); err != nil { // the annotations are enough
		t.Fatal(err)
	}
	for _, o := range []sdk.ScoreOptions{{Count: n}, {Dataset: dir, Params: map[string]string{"classes": "10"}}} {
		s, err := New().OpenScorer(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: perfect(i, scenes.Eval().Picture(i))}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if v := got.Metrics[0].Value; math.Abs(v-100) > 1e-9 || got.Samples != n ||
			!strings.HasSuffix(got.OfficialText, "\nmAP=100.000%") {
			t.Errorf("mAP %v of %d samples, %q; want 100", v, got.Samples, got.OfficialText)
		}
	}
}

func TestScorerNotes(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 4})
	if err != nil {
		t.Fatal(err)
	}
	wrong := perfect(1, scenes.Eval().Picture(0))
	binary.LittleEndian.PutUint32(wrong[24:], math.Float32bits(77))
	for i, data := range [][]byte{wrong, nil, nil} {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i / 2), Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	sdktest.WantError(t, errors.New(strings.Join(got.Notes, "\n")), "1 entries dropped",
		"2 of 4 samples are not in the log", "1 samples without",
		"are of categories that the data set lacks", "loadgen(0) and payload(1) disagree")
}

func TestZeroDetectionsAreMAPZero(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Result(); err != nil || got.Metrics[0].Value != 0 {
		t.Errorf("%v, %v; want 0", got.Metrics, err)
	}
}

func TestScorerRefuses(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, QSLIndex: 5}); !errors.Is(err, truth.ErrIndex) {
		t.Errorf("got %v, want %v", err, truth.ErrIndex)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, Data: []byte{0, 0}}); !errors.Is(err, truth.ErrPayload) {
		t.Errorf("got %v, want %v", err, truth.ErrPayload)
	}
	if _, err := s.Result(); !errors.Is(err, truth.ErrNoSamples) {
		t.Errorf("got %v, want %v", err, truth.ErrNoSamples)
	}
}

func TestOpenScorerReportsEveryFault(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "annotations", "instances_val2017.json"),
		`{"images": [{"id": 1, "file_name": "a.jpg", "width": 10, "height": 10}],
		"categories": [{"id": 1, "name": "a"}],
		"annotations": [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1},
			{"id": 2, "image_id": 1, "category_id": 1, "bbox": [5, 5, -1, 1], "area": 1}]}`)
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: "ssd-mobilenet", Dataset: dir, Params: map[string]string{"inverse_map": "maybe", "nms": "1"},
	})
	sdktest.WantError(t, err, "image_id 2", "inverted", `inverse_map = "maybe"`, `"nms"`)
	if !errors.Is(err, coco.ErrDataset) {
		t.Errorf("%v is not %v", err, coco.ErrDataset)
	}
}

// TestSamplesWithAnnotations leaves out the images without boxes, in the order of the file, when
// running and when scoring.
func TestSamplesWithAnnotations(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "annotations", "instances_val2017.json"),
		`{"images": [{"id": 9, "file_name": "a.jpg", "width": 10, "height": 10},
		{"id": 4, "file_name": "b.jpg", "width": 10, "height": 10},
		{"id": 2, "file_name": "c.jpg", "width": 10, "height": 10}],
		"categories": [{"id": 1, "name": "a"}],
		"annotations": [{"id": 1, "image_id": 9, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25},
			{"id": 2, "image_id": 2, "category_id": 1, "bbox": [5, 5, 5, 5], "area": 25}]}`)
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: "ssd-mobilenet", Dataset: dir, Params: map[string]string{"samples": "annotated"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var payload []byte
	for _, v := range []float32{1, 0.5, 0.5, 1, 1, 0.9, 1} {
		payload = binary.LittleEndian.AppendUint32(payload, math.Float32bits(v))
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 1, Data: payload}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Result(); err != nil || math.Abs(got.Metrics[0].Value-100) > 1e-9 {
		t.Errorf("%v, %v; want the box of image 2, the second sample, found", got.Metrics, err)
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 2}); !errors.Is(err, truth.ErrIndex) {
		t.Errorf("a third sample: %v, want %v", err, truth.ErrIndex)
	}
}
