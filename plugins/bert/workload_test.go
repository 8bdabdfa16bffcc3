package bert

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sequence"
)

// openEmbedded opens the embedded model on the first count samples.
func openEmbedded(t testing.TB, count int, params map[string]string) *questionWorkload {
	t.Helper()
	w, err := New().Open(t.Context(), sdk.Options{Count: count, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	own, _ := sdk.As[*questionWorkload](w)
	return own
}

func load(t testing.TB, w *questionWorkload, indices ...int) []*sequence.Sample {
	t.Helper()
	var samples []*sequence.Sample
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
		ids, mask, segments := s.Row(0), s.Row(1), s.Row(2)
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

func TestWarmSample(t *testing.T) {
	w := openEmbedded(t, 1, nil)
	s := w.WarmSample()
	if s.Len() != featureLength || slices.Contains(s.Row(1), 0) || slices.Max(s.Row(0)) != 0 {
		t.Errorf("%d tokens, mask %v", s.Len(), s.Row(1))
	}
}

func TestSizeRule(t *testing.T) {
	w := openEmbedded(t, 1, nil)
	if rule := w.SizeRule(); !rule.Alike || rule.MaxSum < 2*featureLength || rule.Batch == 0 {
		t.Errorf("%+v", rule)
	}
	w.Asked = 64
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
	full := []backend.TensorInfo{{DType: backend.Float32, Shape: []int64{-1, featureLength, 2}}}
	for name, c := range map[string]struct {
		bound   []backend.TensorInfo
		inputs  []backend.TensorInfo
		outputs []backend.TensorInfo
		n, want int
	}{
		"pairs of all positions": {one, inputs(backend.Int64, -1), full, 1, 0},
		"pairs of some":          {one, inputs(backend.Int64, -1), one, 1, 1},
		"two outputs":            {two, inputs(backend.Int64, -1), two, 1, 1},
		"padded by the model":    {one, inputs(backend.Int64, featureLength), full, 1, 1},
		"padded in a batch":      {one, inputs(backend.Int64, -1), full, 2, 1},
		"converted and padded":   {two, inputs(backend.Int32, featureLength), two, 1, 3},
	} {
		w := newQuestionWorkload(tensorBinding{Outputs: c.bound}, backend.Model{}, nil, 0)
		if work := w.ClientWork(c.inputs, c.outputs, c.n); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}
