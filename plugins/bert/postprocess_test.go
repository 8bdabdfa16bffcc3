package bert

import (
	"errors"
	"slices"
	"testing"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sequence"
)

func floats(shape []int64, values ...float32) backend.Tensor {
	return backend.Tensor{DType: backend.Float32, Shape: shape, Data: backend.Bytes(values)}
}

// openedOn is a workload whose batches have been of one length, or of several.
func openedOn(t testing.TB, fixed bool) *questionWorkload {
	t.Helper()
	w := newQuestionWorkload(tensorBinding{}, backend.Model{}, nil, 0)
	if fixed {
		batch := sdk.NewBatch(slices.Repeat([]backend.TensorInfo{{DType: backend.Int64, Shape: []int64{-1, featureLength}}},
			3))
		if err := w.Collate([]*sequence.Sample{sequence.New(3, 1)}, batch); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestPostprocess gives a feature of three tokens and one of two in a batch of length three.
func TestPostprocess(t *testing.T) {
	samples := []*sequence.Sample{sequence.New(3, 3), sequence.New(3, 2)}
	shape := []int64{2, 3}
	for _, fixed := range []bool{true, false} {
		w := openedOn(t, fixed)
		var p sdk.Payloads
		for range 2 { // the second time in memory that holds the first
			p.Reset()
			err := w.Postprocess([]backend.Tensor{floats(shape, 1, 2, 3, 4, 5, 6), floats(shape, -1, -2, -3, -4, -5, -6)},
				samples, &p)
			if err != nil {
				t.Fatal(err)
			}
		}
		want := [][]float32{{1, -1, 2, -2, 3, -3}, {4, -4, 5, -5, 6, -6}}
		if !fixed {
			want[1] = want[1][:4] // of the padding there is nothing
		}
		for i := range want {
			checkPayload(t, p.At(i), want[i])
		}
	}
}

// checkPayload wants a payload to begin with values, and to hold absent ones behind them.
func checkPayload(t *testing.T, payload []byte, want []float32) {
	t.Helper()
	values := backend.View[float32](payload)
	if len(values) != 768 {
		t.Fatalf("%d values", len(values))
	}
	for j, v := range values {
		expected := float32(accuracy.Absent)
		if j < len(want) {
			expected = want[j]
		}
		if v != expected {
			t.Errorf("value %d: %v, want %v", j, v, expected)
		}
	}
}

func TestPostprocessCutsALongOutput(t *testing.T) {
	out := floats([]int64{1, 512}, make([]float32, 512)...)
	backend.View[float32](out.Data)[383] = 7
	var p sdk.Payloads
	w := openedOn(t, true)
	if err := w.Postprocess([]backend.Tensor{out, out}, []*sequence.Sample{sequence.New(3, 3)}, &p); err != nil {
		t.Fatal(err)
	}
	if values := backend.View[float32](p.At(0)); len(values) != 768 || values[766] != 7 || values[767] != 7 {
		t.Errorf("%d values, the last %v", len(values), values[766:])
	}
}

func TestPostprocessRefuses(t *testing.T) {
	one := []*sequence.Sample{sequence.New(3, 3)}
	good := floats([]int64{1, 3}, 1, 2, 3)
	half := backend.Tensor{DType: backend.Float16, Shape: []int64{1, 3}, Data: make([]byte, 6)}
	cases := []struct {
		name    string
		outputs []backend.Tensor
	}{
		{"one output", []backend.Tensor{good}},
		{"another dtype", []backend.Tensor{good, half}},
		{"no dimension of positions", []backend.Tensor{floats([]int64{3}, 1, 2, 3), good}},
		{"another batch", []backend.Tensor{floats([]int64{3, 1}, 1, 2, 3), good}},
		{"too little data", []backend.Tensor{good, floats([]int64{1, 3}, 1, 2)}},
		{"no data", []backend.Tensor{good, {DType: backend.Float32, Shape: []int64{1, 0}}}},
		{"other lengths", []backend.Tensor{good, floats([]int64{1, 4}, 1, 2, 3, 4)}},
		{"too few positions", []backend.Tensor{floats([]int64{1, 2}, 1, 2), floats([]int64{1, 2}, 1, 2)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := openedOn(t, false).Postprocess(c.outputs, one, new(sdk.Payloads)); !errors.Is(err, sequence.ErrOutput) {
				t.Errorf("got %v, want %v", err, sequence.ErrOutput)
			}
		})
	}
}

func BenchmarkPostprocess(b *testing.B) {
	const n = 8
	out := floats([]int64{n, featureLength}, make([]float32, n*featureLength)...)
	var samples []*sequence.Sample
	for range n {
		samples = append(samples, sequence.New(3, featureLength))
	}
	var p sdk.Payloads
	w := openedOn(b, false)
	b.ReportAllocs()
	for b.Loop() {
		p.Reset()
		if err := w.Postprocess([]backend.Tensor{out, out}, samples, &p); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPairs(t *testing.T) {
	w := newQuestionWorkload(tensorBinding{Outputs: make([]backend.TensorInfo, 1)}, backend.Model{}, nil, 0)
	samples := []*sequence.Sample{sequence.New(3, 3), sequence.New(3, 2)} // of three tokens and of two
	var p sdk.Payloads
	if err := w.Postprocess([]backend.Tensor{floats([]int64{2, 3, 2}, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)},
		samples, &p); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{{1, -1, 2, -2, 3, -3, accuracy.Absent, accuracy.Absent},
		{4, -4, 5, -5, accuracy.Absent, accuracy.Absent, accuracy.Absent, accuracy.Absent}} {
		got := backend.View[float32](p.At(i))
		if len(got) != 2*featureLength || got[2*featureLength-1] != accuracy.Absent {
			t.Fatalf("payload %d has %d values", i, len(got))
		}
		for k, v := range want {
			if got[k] != v {
				t.Errorf("payload %d: value %d is %v, want %v", i, k, got[k], v)
			}
		}
	}
}

func TestPairsOfAllPositionsAreCopied(t *testing.T) {
	w := newQuestionWorkload(tensorBinding{Outputs: make([]backend.TensorInfo, 1)}, backend.Model{}, nil, 0)
	all := make([]float32, 2*featureLength)
	for i := range all {
		all[i] = float32(i)
	}
	var p sdk.Payloads
	if err := w.Postprocess([]backend.Tensor{floats([]int64{1, featureLength, 2}, all...)},
		[]*sequence.Sample{sequence.New(3, 2)}, &p); err != nil {
		t.Fatal(err)
	}
	if string(p.At(0)) != string(backend.Bytes(all)) {
		t.Error("the payload is not what the model answered")
	}
	for _, bad := range []backend.Tensor{floats([]int64{1, 2}, 1, 2), floats([]int64{1, 1, 2}, 1, 2),
		floats([]int64{1, 2, 1}, 1, 2)} {
		if err := w.Postprocess([]backend.Tensor{bad}, []*sequence.Sample{sequence.New(3, 2)}, &p); err == nil {
			t.Errorf("shape %v was taken", bad.Shape)
		}
	}
}
