package resnet50

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/internal/synthetic"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// imagenetFolder writes a data set of n pictures in the official layout.
func imagenetFolder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	set := synthetic.ImageEval()
	var lines strings.Builder
	for i := range n {
		lines.WriteString(set.Name(i) + " 7\n")
		write(t, filepath.Join(dir, set.Name(i)), set.PNG(i))
	}
	write(t, filepath.Join(dir, "val_map.txt"), []byte(lines.String()))
	return dir
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestModels(t *testing.T) {
	var names []string
	for _, m := range New().Describe().Models {
		names = append(names, m.Name)
		if m.LoadGenKey != m.Name || m.RulesKey != "resnet" ||
			!slices.Equal(m.Scenarios, loadgen.Scenarios()) {
			t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || m.Datasets[1].Samples != 50000 || m.Datasets[1].PerformanceSampleCount != 1024 {
			t.Errorf("%s: data sets %+v, want the embedded one and imagenet", m.Name, m.Datasets)
		}
		if len(m.Metrics) != 2 || m.Metrics[0].Name != "accuracy" || m.Metrics[0].Unit != "%" {
			t.Errorf("%s: metrics %v", m.Name, m.Metrics)
		}
	}
	if want := []string{"resnet50", "mobilenet"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

func TestOpenModelFile(t *testing.T) {
	file := manifesttest.ModelFile(t)
	for _, model := range []string{"", "resnet50", "mobilenet"} {
		w, err := New().Open(t.Context(), sdk.Options{Model: model, ModelFile: file, Dataset: imagenetFolder(t, 2)})
		if err != nil {
			t.Fatal(err)
		}
		m := w.Parts()[0].Model
		want := map[string]string{"mobilenet": "MobilenetV1/Predictions/Reshape_1:0"}[model]
		want = cmp.Or(want, "ArgMax:0")
		if m.Path != file || m.Bytes != nil || m.Outputs[0].Name != want || w.Len() != 2 {
			t.Errorf("%q: path %q, %d bytes, output %q, %d samples", model, m.Path, len(m.Bytes), m.Outputs[0].Name, w.Len())
		}
	}
}

func TestOpenReadsThePictures(t *testing.T) {
	dir := imagenetFolder(t, 3)
	read, err := New().Open(t.Context(), sdk.Options{ModelFile: manifesttest.ModelFile(t), Dataset: dir, Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := New().Open(t.Context(), sdk.Options{ModelFile: manifesttest.ModelFile(t), Count: 2})
	if err != nil {
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
	if !bytes.Equal(a.(*pictures.PictureSample).Data, b.(*pictures.PictureSample).Data) {
		t.Error("a picture read from a file differs from the same one drawn")
	}
}

func TestOpenReportsEveryFault(t *testing.T) {
	broken := imagenetFolder(t, 2)
	write(t, filepath.Join(broken, synthetic.ImageEval().Name(0)), []byte("no picture"))
	write(t, filepath.Join(broken, "val_map.txt"), []byte(synthetic.ImageEval().Name(0)+" 1\nnone.JPEG 2\n"))
	params := map[string]string{"width": "299", "answer": "best", "preprocess": "resnet", "layout": "chw", "offset": "one"}
	_, err := New().Open(t.Context(), sdk.Options{Precision: "int4", Dataset: broken, Params: params})
	sdktest.WantError(t, err, `"int4"`, `"width"`, `answer = "best"`, `preprocess = "resnet"`,
		`layout = "chw"`, `offset = "one"`,
		"line 1", "line 2", "none.JPEG")
	if !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %q, want one of class %v", err, sdk.ErrUsage)
	}
	_, err = New().Open(t.Context(), sdk.Options{Dataset: "none"})
	sdktest.WantError(t, err, "none", "val_map.txt")
}

func TestOpenScorerNeedsTheLabelsOnly(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "val_map.txt"), []byte("a.JPEG 7\nb.JPEG 8\nc.JPEG 9\n"))
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir, Params: map[string]string{"dtype": "int32"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []mllog.AccuracyEntry{
		{QSLIndex: 0, Data: []byte{7, 0, 0, 0}},
		{QSLIndex: 0, Data: []byte{1, 0, 0, 0}},
		{QSLIndex: 2, Data: []byte{8, 0, 0, 0}},
	} {
		if err := s.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.OfficialText != "accuracy=50.000%, good=1, total=2" || got.Samples != 2 || len(got.Notes) != 2 {
		t.Errorf("got %+v, want 1 of 2 right, one entry dropped and one sample missing", got)
	}
}

func TestScorerRefuses(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, QSLIndex: 5, Data: []byte{0, 0, 0, 0}}); !errors.Is(err, topk.ErrIndex) {
		t.Errorf("got %v, want %v", err, topk.ErrIndex)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, Data: []byte{0, 0}}); !errors.Is(err, topk.ErrPayload) {
		t.Errorf("got %v, want %v", err, topk.ErrPayload)
	}
	if _, err := s.Result(); !errors.Is(err, topk.ErrNoSamples) {
		t.Errorf("got %v, want %v", err, topk.ErrNoSamples)
	}
}

func TestOpenScorerReportsEveryFault(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "val_map.txt"), []byte("a.JPEG 1000\nb.JPEG one\n"))
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Dataset: dir, Params: map[string]string{"dtype": "uint8", "width": "1"},
	})
	sdktest.WantError(t, err, "line 1", "line 2", `"uint8"`, `"width"`)
	if !errors.Is(err, imagenet.ErrDataset) {
		t.Errorf("%v is not %v", err, imagenet.ErrDataset)
	}
}
