package resnet50

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/resnet50/model"
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

func TestOpenModelFile(t *testing.T) {
	file := manifesttest.ModelFile(t)
	for _, model := range []string{"", "resnet50", "mobilenet"} {
		w, err := New().Open(t.Context(), sdk.Options{Model: model, ModelFile: file, Dataset: imagenetFolder(t, 2)})
		if err != nil {
			t.Fatal(err)
		}
		m := w.Model()
		want := map[string]string{"": "ArgMax:0", "resnet50": "ArgMax:0", "mobilenet": "MobilenetV1/Predictions/Reshape_1:0"}[model]
		if m.Path != file || m.Bytes != nil || m.Outputs[0].Name != want || w.Len() != 2 {
			t.Errorf("%q: path %q, %d bytes, output %q, %d samples", model, m.Path, len(m.Bytes), m.Outputs[0].Name, w.Len())
		}
	}
}

func TestOpenEmbedded(t *testing.T) {
	cases := []struct {
		o    sdk.Options
		want []byte
	}{
		{sdk.Options{}, model.Bytes("fp32")},
		{sdk.Options{Precision: "fp32"}, model.Bytes("fp32")},
		{sdk.Options{Precision: "int8"}, model.Bytes("int8")},
		{sdk.Options{ModelFile: "embedded-int8"}, model.Bytes("int8")},
		{sdk.Options{Model: "mobilenet"}, model.Bytes("fp32")},
	}
	for _, c := range cases {
		w, err := New().Open(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		m := w.Model()
		if m.Path != "" || !bytes.Equal(m.Bytes, c.want) || m.Inputs[0].Name != "input_tensor:0" || m.Outputs[0].Name != "ArgMax:0" {
			t.Errorf("%+v: path %q, %d bytes, tensors %v %v", c.o, m.Path, len(m.Bytes), m.Inputs, m.Outputs)
		}
		if w.Len() != synthetic.ImageEvalCount || w.PerformanceSampleCount() != synthetic.ImageEvalCount {
			t.Errorf("%+v: %d samples, %d in memory", c.o, w.Len(), w.PerformanceSampleCount())
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
	if !bytes.Equal(bytesOf(a), bytesOf(b)) {
		t.Error("a picture read from a file differs from the same one drawn")
	}
}

func TestOpenReportsEveryFault(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.onnx")
	write(t, empty, nil)
	broken := imagenetFolder(t, 2)
	write(t, filepath.Join(broken, synthetic.ImageEval().Name(0)), []byte("no picture"))
	write(t, filepath.Join(broken, "val_map.txt"), []byte(synthetic.ImageEval().Name(0)+" 1\nnone.JPEG 2\n"))
	cases := []struct {
		name  string
		o     sdk.Options
		class error
		want  []string
	}{
		{"unknown model", sdk.Options{Model: "resnet"}, sdk.ErrUsage, []string{`"resnet"`, "resnet50, mobilenet"}},
		{"unknown precision", sdk.Options{Precision: "int4"}, sdk.ErrUsage, []string{`"int4"`, "fp32, int8"}},
		{"no such file", sdk.Options{ModelFile: "none.onnx"}, sdk.ErrData, []string{"none.onnx"}},
		{"empty file", sdk.Options{ModelFile: empty}, sdk.ErrData, []string{"is empty"}},
		{"device", sdk.Options{ModelFile: os.DevNull}, sdk.ErrData, []string{"want a file or a folder"}},
		{"not fetched", sdk.Options{ModelFile: "resnet50_v1.onnx"}, sdk.ErrData, []string{"harness fetch resnet50", "https://zenodo.org/record/4735647/"}},
		{"no data set", sdk.Options{ModelFile: empty, Dataset: "none"}, sdk.ErrData, []string{"none", "val_map.txt", "is empty"}},
		{"negative count", sdk.Options{Count: -1}, sdk.ErrUsage, []string{"count = -1"}},
		{"too large a count", sdk.Options{Count: 1 << 20}, sdk.ErrUsage, []string{"count = 1048576"}},
		{
			"all at once",
			sdk.Options{Precision: "int4", Dataset: broken, Params: map[string]string{"size": "299", "answer": "best"}}, sdk.ErrUsage,
			[]string{`"int4"`, `"size"`, `"best"`, "line 1", "line 2", "none.JPEG"},
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
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir, Params: map[string]string{"dtype": "uint8", "size": "1"}})
	sdktest.WantError(t, err, "line 1", "line 2", `"uint8"`, `"size"`)
	if !errors.Is(err, imagenet.ErrDataset) {
		t.Errorf("%v is not %v", err, imagenet.ErrDataset)
	}
	if _, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: "vgg"}); err == nil {
		t.Error("an unknown model passed")
	}
}
