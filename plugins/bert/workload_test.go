package bert

import (
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// openEmbedded opens the embedded model on the first count samples.
func openEmbedded(t testing.TB, count int, params map[string]string) *workload {
	t.Helper()
	w, err := New().Open(t.Context(), sdk.Options{Count: count, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	own, _ := sdk.As[*workload](w)
	return own
}

func load(t testing.TB, w *workload, indices ...int) []*sample {
	t.Helper()
	var samples []*sample
	for _, i := range indices {
		s, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	return samples
}

func TestLoad(t *testing.T) {
	w := openEmbedded(t, 40, nil)
	if w.Len() != 40 {
		t.Errorf("%d samples", w.Len())
	}
	for i, loaded := range load(t, w, 0, 7, 39) {
		s := loaded
		ids, mask, segments := s.row(0), s.row(1), s.row(2)
		passage := slices.Index(segments, 1)
		if w.SampleSize(s) != len(ids) || slices.Contains(mask, 0) || passage < 3 || slices.Contains(segments[passage:], 0) ||
			slices.Contains(ids, 0) {
			t.Errorf("sample %d: ids %v, mask %v, segments %v", i, ids, mask, segments)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// inputs are what an opened model has.
func inputs(dtype backend.DType, s int64) []backend.TensorInfo {
	return slices.Repeat([]backend.TensorInfo{{DType: dtype, Shape: []int64{-1, s}}}, 3)
}

func TestCollate(t *testing.T) {
	two := []*sample{{[]int64{2, 9, 8, 1, 1, 1, 0, 1, 1}}, {[]int64{2, 7, 1, 1, 0, 0}}}
	cases := []struct {
		name    string
		params  map[string]string
		inputs  []backend.TensorInfo
		samples []*sample
		size    int
		shared  bool
	}{
		{"as long as the longest", nil, inputs(backend.Int64, -1), two, 3, false},
		{"int32", nil, inputs(backend.Int32, -1), two, 3, false},
		{"one", nil, inputs(backend.Int64, -1), two[1:], 2, true},
		{"one, int32", nil, inputs(backend.Int32, -1), two[1:], 2, false},
		{"the model's length", nil, inputs(backend.Int64, 384), two, 384, false},
		{"the model's length, one", nil, inputs(backend.Int64, 512), two[:1], 512, false},
		{"the user's length", map[string]string{"sequence": "384"}, inputs(backend.Int64, -1), two[:1], 384, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &workload{binding: defaultBinding(t, c.params)}
			b := sdk.NewBatch(c.inputs)
			for i := range 3 { // what the memory held before must not show
				for j := range b.Input(i, 4, 512) {
					b.Tensors()[i].Data[j] = 0xff
				}
			}
			if err := w.Collate(c.samples, b); err != nil {
				t.Fatal(err)
			}
			for i, in := range b.Tensors() {
				if !slices.Equal(in.Shape, []int64{int64(len(c.samples)), int64(c.size)}) {
					t.Fatalf("input %d has shape %v", i, in.Shape)
				}
				for n, s := range c.samples {
					want := make([]int64, c.size)
					copy(want, s.row(i))
					if got := row(in, n); !slices.Equal(got, want) {
						t.Errorf("input %d, sample %d: %v, want %v", i, n, got, want)
					}
				}
				if shared := &in.Data[0] == &backend.Bytes(c.samples[0].row(i))[0]; shared != c.shared {
					t.Errorf("input %d refers to the sample's memory: %v", i, shared)
				}
			}
		})
	}
}

// row is sample n's part of an input.
func row(in backend.Tensor, n int) (values []int64) {
	size := int(in.Shape[1])
	if in.DType == backend.Int64 {
		return backend.View[int64](in.Data)[n*size : (n+1)*size]
	}
	for _, v := range backend.View[int32](in.Data)[n*size : (n+1)*size] {
		values = append(values, int64(v))
	}
	return values
}

func TestCollateRefuses(t *testing.T) {
	w := &workload{binding: defaultBinding(t, nil)}
	samples := []*sample{{make([]int64, 9)}}
	for _, in := range [][]backend.TensorInfo{inputs(backend.Int64, 2), inputs(backend.Float32, -1)} {
		if err := w.Collate(samples, sdk.NewBatch(in)); !errors.Is(err, backend.ErrTensors) {
			t.Errorf("%v: error %v, want %v", in[0], err, backend.ErrTensors)
		}
	}
}

func TestWarmSample(t *testing.T) {
	w := openEmbedded(t, 1, nil)
	s := w.WarmSample()
	if s.len() != length || slices.Contains(s.row(1), 0) || slices.Max(s.row(0)) != 0 {
		t.Errorf("%d tokens, mask %v", s.len(), s.row(1))
	}
}

func TestSizeRule(t *testing.T) {
	w := openEmbedded(t, 1, nil)
	if rule := w.SizeRule(); !rule.Alike || rule.MaxSum < 2*length || rule.Batch == 0 {
		t.Errorf("%+v", rule)
	}
	w.batch = 64
	if rule := w.SizeRule(); rule.MaxSum != 0 {
		t.Errorf("%+v: want the batch that the user asks for", rule)
	}
	if rule := openEmbedded(t, 1, map[string]string{"sequence": "384"}).SizeRule(); rule.Alike {
		t.Errorf("%+v: padded features are all alike", rule)
	}
}

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
