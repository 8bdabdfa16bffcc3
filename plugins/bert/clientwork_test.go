package bert

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestClientWork(t *testing.T) {
	inputs := func(d backend.DType, size int64) []backend.TensorInfo {
		return []backend.TensorInfo{{DType: d, Shape: []int64{-1, size}}}
	}
	two, one := make([]backend.TensorInfo, 2), []backend.TensorInfo{{Shape: []int64{-1, -1, 2}}}
	full := []backend.TensorInfo{{DType: backend.Float32, Shape: []int64{-1, length, 2}}}
	for name, c := range map[string]struct {
		bound   []backend.TensorInfo
		inputs  []backend.TensorInfo
		outputs []backend.TensorInfo
		n, want int
	}{
		"pairs of all positions": {one, inputs(backend.Int64, -1), full, 1, 0},
		"pairs of some":          {one, inputs(backend.Int64, -1), one, 1, 1},
		"two outputs":            {two, inputs(backend.Int64, -1), two, 1, 1},
		"padded by the model":    {one, inputs(backend.Int64, length), full, 1, 1},
		"padded in a batch":      {one, inputs(backend.Int64, -1), full, 2, 1},
		"converted and padded":   {two, inputs(backend.Int32, length), two, 1, 3},
	} {
		w := &workload{binding: binding{outputs: c.bound}}
		if work := w.ClientWork(c.inputs, c.outputs, c.n); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}

func TestPairs(t *testing.T) {
	w := &workload{binding: binding{outputs: make([]backend.TensorInfo, 1)}}
	samples := []sdk.Sample{&sample{make([]int64, 9)}, &sample{make([]int64, 6)}} // of three tokens and of two
	var p sdk.Payloads
	if err := w.Postprocess([]backend.Tensor{floats([]int64{2, 3, 2}, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)}, samples, &p); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float32{{1, -1, 2, -2, 3, -3, absent, absent}, {4, -4, 5, -5, absent, absent, absent, absent}} {
		got := backend.View[float32](p.At(i))
		if len(got) != 2*length || got[2*length-1] != absent {
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
	w := &workload{binding: binding{outputs: make([]backend.TensorInfo, 1)}}
	all := make([]float32, 2*length)
	for i := range all {
		all[i] = float32(i)
	}
	var p sdk.Payloads
	if err := w.Postprocess([]backend.Tensor{floats([]int64{1, length, 2}, all...)}, []sdk.Sample{&sample{make([]int64, 6)}}, &p); err != nil {
		t.Fatal(err)
	}
	if string(p.At(0)) != string(backend.Bytes(all)) {
		t.Error("the payload is not what the model answered")
	}
	for _, bad := range []backend.Tensor{floats([]int64{1, 2}, 1, 2), floats([]int64{1, 1, 2}, 1, 2), floats([]int64{1, 2, 1}, 1, 2)} {
		if err := w.Postprocess([]backend.Tensor{bad}, []sdk.Sample{&sample{make([]int64, 6)}}, &p); err == nil {
			t.Errorf("shape %v was taken", bad.Shape)
		}
	}
}
