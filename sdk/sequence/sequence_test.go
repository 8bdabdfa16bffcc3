package sequence

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// inputs returns the inputs of an open model.
func inputs(dtype backend.DType, s int64) []backend.TensorInfo {
	return slices.Repeat([]backend.TensorInfo{{DType: dtype, Shape: []int64{-1, s}}}, 3)
}

func TestCollate(t *testing.T) {
	two := []*Sample{{[]int64{2, 9, 8, 1, 1, 1, 0, 1, 1}, 3}, {[]int64{2, 7, 1, 1, 0, 0}, 3}}
	cases := []struct {
		name    string
		length  int
		inputs  []backend.TensorInfo
		samples []*Sample
		size    int
		shared  bool
	}{
		{"as long as the longest", 0, inputs(backend.Int64, -1), two, 3, false},
		{"int32", 0, inputs(backend.Int32, -1), two, 3, false},
		{"one", 0, inputs(backend.Int64, -1), two[1:], 2, true},
		{"one, int32", 0, inputs(backend.Int32, -1), two[1:], 2, false},
		{"the model's length", 0, inputs(backend.Int64, 384), two, 384, false},
		{"the model's length, one", 0, inputs(backend.Int64, 512), two[:1], 512, false},
		{"the user's length", 384, inputs(backend.Int64, -1), two[:1], 384, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := &BatchedWorkload{Length: c.length}
			b := sdk.NewBatch(c.inputs)
			for i := range 3 { // old contents of the memory must not be visible
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
					copy(want, s.Row(i))
					if got := row(in, n); !slices.Equal(got, want) {
						t.Errorf("input %d, sample %d: %v, want %v", i, n, got, want)
					}
				}
				if shared := &in.Data[0] == &backend.Bytes(c.samples[0].Row(i))[0]; shared != c.shared {
					t.Errorf("input %d refers to the sample's memory: %v", i, shared)
				}
			}
		})
	}
}

// row returns sample n's part of an input.
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
	w := &BatchedWorkload{Longest: 384}
	samples := []*Sample{New(3, 3)}
	for _, in := range [][]backend.TensorInfo{inputs(backend.Int64, 2), inputs(backend.Float32, -1)} {
		if err := w.Collate(samples, sdk.NewBatch(in)); !errors.Is(err, backend.ErrTensors) {
			t.Errorf("%v: error %v, want %v", in[0], err, backend.ErrTensors)
		}
	}
}

func TestClientWork(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      *BatchedWorkload
		inputs []backend.TensorInfo
		n      int
		want   string
	}{
		{"one as it is", &BatchedWorkload{}, inputs(backend.Int64, -1), 1, ""},
		{"several", &BatchedWorkload{}, inputs(backend.Int64, -1), 2, "texts are padded to one length"},
		{"the model's length", &BatchedWorkload{}, inputs(backend.Int64, 8), 1, "texts are padded to one length"},
		{"the user's length", &BatchedWorkload{Length: 8}, inputs(backend.Int64, -1), 1, "texts are padded to one length"},
		{"int32", &BatchedWorkload{}, inputs(backend.Int32, -1), 1, "ids are converted to int32"},
		{"both", &BatchedWorkload{}, inputs(backend.Int32, -1), 3,
			"texts are padded to one length|ids are converted to int32"},
	} {
		c.p.Name, c.p.Values = "texts", "ids"
		if got := strings.Join(c.p.ClientWork(c.inputs, c.n), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	p := &BatchedWorkload{Name: "texts"}
	if err := p.Collate([]*Sample{New(3, 2)}, sdk.NewBatch(inputs(backend.Int64, 8))); err != nil || !p.Fixed() ||
		len(p.ClientWork(inputs(backend.Int64, -1), 1)) != 1 {
		t.Errorf("%v, fixed %v: padding that was seen is work", err, p.Fixed())
	}
}

func TestLogits(t *testing.T) {
	tensor := func(d backend.DType, size int, shape ...int64) backend.Tensor {
		return backend.Tensor{DType: d, Shape: shape, Data: make([]byte, size)}
	}
	pair := tensor(backend.Float32, 24, 2, 3)
	for _, good := range []backend.Tensor{pair, tensor(backend.Float32, 48, 2, 3, 2)} {
		if v, err := Logits(good, 2, "logits"); err != nil || len(v) != len(good.Data)/4 {
			t.Errorf("%v: %d values, %v", good.Shape, len(v), err)
		}
	}
	for _, bad := range []backend.Tensor{
		tensor(backend.Float16, 12, 2, 3), tensor(backend.Float32, 8, 2), tensor(backend.Float32, 36, 3, 3),
		tensor(backend.Float32, 20, 2, 3), tensor(backend.Float32, 0, 2, 0),
	} {
		for k, outputs := range [][]backend.Tensor{{bad, pair}, {pair, bad}} {
			want := []string{"start", "end"}[k] + " logits: the model's output is not logits of the batch: "
			_, err := AllLogits(outputs, 2, "start", "end")
			if !errors.Is(err, ErrOutput) || !strings.HasPrefix(err.Error(), want) ||
				!strings.Contains(err.Error(), "want float32[2,S]") {
				t.Errorf("%v: %v", bad.Shape, err)
			}
		}
	}
	if all, err := AllLogits([]backend.Tensor{pair, pair}, 2, "start", "end"); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
	for want, outputs := range map[string][]backend.Tensor{
		"1 outputs, want start and end logits": {pair},
		"6 start and 4 end logits":             {pair, tensor(backend.Float32, 16, 2, 2)},
	} {
		if _, err := AllLogits(outputs, 2, "start", "end"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSizeRule(t *testing.T) {
	w := &BatchedWorkload{Tokens: 1536, Samples: 16}
	if rule := w.SizeRule(); rule != (sdk.SizeRule{MaxSum: 1536, Alike: true, Batch: 16}) {
		t.Errorf("%+v", rule)
	}
	if w.Asked = 64; w.SizeRule().MaxSum != 0 {
		t.Errorf("%+v: want the batch that the user asks for", w.SizeRule())
	}
	if w.Length = 384; w.SizeRule().Alike {
		t.Errorf("%+v: padded samples are all alike", w.SizeRule())
	}
}
