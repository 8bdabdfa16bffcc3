package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/bert"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// samples is the number of features of the embedded data set that the test answers.
const samples = 40

// padded is the parameter that pads every feature to the length of the official model.
const padded = "384"

// TestPaddingChangesNoAnswer runs the embedded models on batches of features with similar lengths, and on single
// features padded to 384 tokens: logits differ only by the order of sums, and the scores are equal.
func TestPaddingChangesNoAnswer(t *testing.T) {
	library, err := ortlib.FindLibrary(t.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	b := ort.Backend{Library: library}
	for _, precision := range []string{"fp32", "int8"} {
		t.Run(precision, func(t *testing.T) {
			short := answer(t, b, precision, "free", 16)
			long := answer(t, b, precision, padded, 1)
			for i := range short {
				if d := apart(short[i], long[i]); d > 1e-3 {
					t.Errorf("sample %d: the logits of its tokens differ by %v", i, d)
				}
			}
			if a, b := score(t, short), score(t, long); a != b {
				t.Errorf("F1 %v in batches without padding, %v padded", a, b)
			}
		})
	}
}

// answer returns the payloads of the first samples, run in batches of features with similar lengths.
func answer(t *testing.T, b backend.Backend, precision, sequence string, batch int) [][]byte {
	t.Helper()
	w, err := bert.New().Open(t.Context(), sdk.Options{
		Count: samples, Precision: precision, Params: map[string]string{"sequence": sequence},
	})
	if err != nil {
		t.Fatal(err)
	}
	session, err := b.Open(t.Context(), w.Parts()[0].Model, backend.Config{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(session.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	})
	loaded := make([]sdk.Sample, samples)
	order := make([]int, samples)
	for i := range loaded {
		if loaded[i], err = w.Load(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		order[i] = i
	}
	sizer, _ := sdk.As[sdk.Sizer](w)
	size := sizer.SampleSize
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(size(loaded[a]), size(loaded[b])) })
	payloads := make([][]byte, samples)
	for part := range slices.Chunk(order, batch) {
		for i, p := range runBatch(t, w, session, loaded, part) {
			payloads[part[i]] = p
		}
	}
	return payloads
}

func runBatch(t *testing.T, w sdk.Workload, session backend.Session, loaded []sdk.Sample,
	part []int) (payloads [][]byte) {
	t.Helper()
	var some []sdk.Sample
	for _, i := range part {
		some = append(some, loaded[i])
	}
	in, out := sdk.NewBatch(session.Inputs()), make([]backend.Tensor, len(session.Outputs()))
	var p sdk.Payloads
	err := w.(sdk.Batcher).Collate(some, in)
	if err == nil {
		err = session.Run(context.Background(), in.Tensors(), out)
	}
	if err == nil {
		err = w.(sdk.Batcher).Postprocess(out, some, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i].Release()
	}
	for i := range p.Len() {
		payloads = append(payloads, slices.Clone(p.At(i)))
	}
	return payloads
}

// apart returns the largest difference of the logits of a short payload's tokens.
func apart(short, long []byte) (most float64) {
	a, b := backend.View[float32](short), backend.View[float32](long)
	for i := range a {
		if a[i] != -10000 { // after the feature's batch
			most = max(most, math.Abs(float64(a[i]-b[i])))
		}
	}
	return most
}

func score(t *testing.T, payloads [][]byte) float64 {
	t.Helper()
	s, err := bert.New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: samples})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range payloads {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: p}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r.Metrics[0].Value
}
