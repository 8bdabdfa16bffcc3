package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/retinanet"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// library finds ONNX Runtime as a build does.
func library(t *testing.T) ort.Backend {
	t.Helper()
	if path := os.Getenv("PLUMBLINE_ORT_LIB"); path != "" {
		return ort.Backend{Library: path}
	}
	path, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Skipf("no ONNX Runtime: %v", err)
	}
	return ort.Backend{Library: path}
}

// TestOfficialForms runs stand-ins for the official files, which plugins/retinanet/model/random_official.py writes to
// the folder in PLUMBLINE_OFFICIAL_MODELS, and compares mAP with the script's result from other tools.
func TestOfficialForms(t *testing.T) {
	dir := os.Getenv("PLUMBLINE_OFFICIAL_MODELS")
	if dir == "" {
		t.Skip("PLUMBLINE_OFFICIAL_MODELS is not set: it names the folder that random_official.py has written")
	}
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		File, Model, Form, Dataset string
		MAP                        float64 `json:"mAP"`
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.Form, func(t *testing.T) {
			got := measure(t, sdk.Options{
				Model: c.Model, ModelFile: filepath.Join(dir, c.File), Dataset: filepath.Join(dir, c.Dataset),
				Params: map[string]string{"form": c.Form},
			})
			// A float32 on the edge between two levels may fall either way, and with it a uint8 of an input.
			if math.Abs(got-c.MAP) > 0.2 {
				t.Errorf("mAP %v, want %v", got, c.MAP)
			}
		})
	}
}

// TestEmbedded compares the score of a part of the evaluation set with the card's score of the whole set.
func TestEmbedded(t *testing.T) {
	const count = 100
	fp32 := measure(t, sdk.Options{Count: count})
	int8 := measure(t, sdk.Options{Count: count, Precision: "int8"})
	want := retinanet.New().Describe().Models[0].Files[0].Reference[0].Value
	if math.Abs(fp32-want) > 6 || int8 < 0.95*fp32 {
		t.Errorf("mAP of %d scenes: %.2f in FP32, %.2f in INT8; the card says %.2f of all", count, fp32, int8, want)
	}
}

// measure runs all samples, one at a time, and scores them.
func measure(t *testing.T, o sdk.Options) float64 {
	t.Helper()
	b := retinanet.New()
	w, err := b.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	session, err := library(t).Open(t.Context(), w.Parts()[0].Model, backend.Config{Concurrency: 1, LowLatency: true})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	scorer, err := b.OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: o.Model, Dataset: o.Dataset, Count: o.Count, Params: o.Params,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Len() {
		if err := scorer.Add(mllog.AccuracyEntry{
			SeqID: uint64(i), QSLIndex: uint64(i), Data: answer(t, w, session, i),
		}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := scorer.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score.Metrics[0].Value
}

// answer returns the payload of sample i.
func answer(t *testing.T, w sdk.Workload, s backend.Session, i int) []byte {
	t.Helper()
	sample, err := w.Load(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	defer sample.(sdk.SampleCloser).Close()
	batch, out := sdk.NewBatch(s.Inputs()), make([]backend.Tensor, len(s.Outputs()))
	if err := w.(sdk.Batcher).Collate([]sdk.Sample{sample}, batch); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), batch.Tensors(), out); err != nil {
		t.Fatal(err)
	}
	var p sdk.Payloads
	if err := w.(sdk.Batcher).Postprocess(out, []sdk.Sample{sample}, &p); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i].Release()
	}
	return p.At(0)
}
