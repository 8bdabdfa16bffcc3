package ort_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// run runs s once and returns the outputs, which it releases when the test ends.
func run(t *testing.T, s backend.Session, in ...backend.Tensor) []backend.Tensor {
	t.Helper()
	out := make([]backend.Tensor, len(s.Outputs()))
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for i := range out {
			out[i].Release()
		}
	})
	return out
}

func wantTensor[T backend.Element](t *testing.T, got backend.Tensor, want []T, shape ...int64) {
	t.Helper()
	if !slices.Equal(got.Shape, shape) {
		t.Errorf("%s has shape %v, want %v", got.Name, got.Shape, shape)
	}
	if values := backend.View[T](got.Data); !slices.Equal(values, want) {
		t.Errorf("%s = %v, want %v", got.Name, values, want)
	}
}

func TestRun(t *testing.T) {
	s := open(t, "linear", backend.Config{})
	out := run(t, s, floats([]float32{1, 2, 3, -1, 0, 1}, 2, 3))
	wantTensor(t, out[0], []int64{0, 0}, 2)
	wantTensor(t, out[1], []float32{14.5, 1.5, 2.5, 1.5}, 2, 2)
	if out[0].Name != "best:0" || out[0].DType != backend.Int64 || out[1].Name != "y:0" ||
		out[1].DType != backend.Float32 {
		t.Errorf("outputs are %s %v and %s %v", out[0].Name, out[0].DType, out[1].Name, out[1].DType)
	}
}

func TestDescribesTensors(t *testing.T) {
	s := open(t, "linear", backend.Config{})
	if got := tensors(s.Inputs()); got != "x:0 float32[N,3]" {
		t.Errorf("inputs are %s", got)
	}
	if got := tensors(s.Outputs()); got != "best:0 int64[N] y:0 float32[N,2]" {
		t.Errorf("outputs are %s", got)
	}
}

func tensors(infos []backend.TensorInfo) string {
	all := make([]string, len(infos))
	for i, info := range infos {
		all[i] = info.String()
	}
	return strings.Join(all, " ")
}

func TestBindsByNameInTheCallersOrder(t *testing.T) {
	free := []int64{-1, -1}
	s := openModel(t, backend.Model{
		Path: file("bert_like"),
		Inputs: []backend.TensorInfo{
			{Name: "token_type_ids", DType: backend.Int64, Shape: free},
			{Name: "input_ids", DType: backend.Int64, Shape: free},
			{Name: "attention_mask", DType: backend.Int64, Shape: free},
		},
		Outputs: []backend.TensorInfo{{Name: "scores", DType: backend.Float32, Shape: free}},
	}, backend.Config{})
	ints := func(v ...int64) backend.Tensor { return tensor("", backend.Int64, v, 1, 3) }
	out := run(t, s, ints(1, 1, 0), ints(7, 8, 9), ints(1, 0, 1))
	wantTensor(t, out[0], []float32{6, -1, 9}, 1, 3)
}

func TestSomeOutputs(t *testing.T) {
	s := openModel(t, backend.Model{Path: file("linear"), Outputs: []backend.TensorInfo{{Name: "y:0"}}}, backend.Config{})
	out := run(t, s, floats([]float32{1, 2, 3}, 1, 3))
	wantTensor(t, out[0], []float32{14.5, 1.5}, 1, 2)
}

func TestOpensBytes(t *testing.T) {
	data := read(t, file("linear"))
	s := openModel(t, backend.Model{Bytes: data}, backend.Config{})
	clear(data)
	out := run(t, s, floats([]float32{1, 2, 3}, 1, 3))
	wantTensor(t, out[0], []int64{0}, 1)
}

func TestInitializersAreNoInputs(t *testing.T) {
	s := open(t, "old_style", backend.Config{})
	if got := tensors(s.Inputs()); got != "x float32[N,3]" {
		t.Errorf("inputs are %s", got)
	}
	wantTensor(t, run(t, s, floats([]float32{1, 2, 3}, 1, 3))[0], []float32{14, 2}, 1, 2)
}

func TestExternalData(t *testing.T) {
	s := open(t, "external", backend.Config{})
	wantTensor(t, run(t, s, floats([]float32{1, 2, 3}, 1, 3))[0], []float32{14, 2}, 1, 2)
}

func TestShapeThatTheFileLeavesOpen(t *testing.T) {
	s := openModel(t, backend.Model{
		Path: file("unranked"), Outputs: []backend.TensorInfo{{Name: "y", Shape: []int64{-1, 2}}},
	}, backend.Config{})
	if got := tensors(s.Outputs()); got != "y float32[N,2]" {
		t.Errorf("outputs are %s", got)
	}
	wantTensor(t, run(t, s, floats([]float32{1, 2, 3}, 1, 3))[0], []float32{14, 2}, 1, 2)
}

func TestQuantisedModel(t *testing.T) {
	s := open(t, "qdq", backend.Config{})
	out := run(t, s, floats([]float32{1, 2, 3, 0.3, 0, 0}, 2, 3))
	wantTensor(t, out[0], []float32{14, 2, 0.5, -0.5}, 2, 2)
}

func TestScalars(t *testing.T) {
	s := open(t, "scalars", backend.Config{})
	in := []backend.Tensor{floats([]float32{1, 2, 3}, 3), floats([]float32{0.5})}
	out := run(t, s, in...)
	wantTensor(t, out[0], []float32{3})
	wantTensor(t, out[1], []int64{3})
}

func TestOutputsOfUnforeseenShape(t *testing.T) {
	for _, name := range []string{"data_dependent", "wrong_promise"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, name, backend.Config{})
			for range 3 {
				in := floats([]float32{-1, 5, 0, 2}, 4)
				out := run(t, s, in)
				if name == "data_dependent" {
					wantTensor(t, out[0], []int64{1, 3}, 1, 2)
				} else {
					wantTensor(t, out[0], []float32{-1, 5, 0, 2, -1, 5, 0, 2}, 8)
				}
			}
		})
	}
}

func TestEmptyTensors(t *testing.T) {
	s := open(t, "data_dependent", backend.Config{})
	wantTensor(t, run(t, s, floats([]float32{-1}, 1))[0], []int64{}, 1, 0)
	twice := open(t, "twice_float32", backend.Config{})
	wantTensor(t, run(t, twice, floats(nil, 0, 3))[0], []float32{}, 0, 3)
}

// TestElementTypes runs y = x + x (not x for bool) in every element type, into the caller's and the session's memory.
func TestElementTypes(t *testing.T) {
	cases := []struct {
		model    string
		in, out  backend.DType
		x, wants []byte
	}{
		{"twice_float32", backend.Float32, backend.Float32, raw[float32](1.5, -2, 3), raw[float32](3, -4, 6)},
		{"twice_float64", backend.Float64, backend.Float64, raw(1.5, -2, 3), raw(3.0, -4, 6)},
		{"twice_float16", backend.Float16, backend.Float16, raw[uint16](0x3e00, 0xc000, 0x4200),
			raw[uint16](0x4200, 0xc400, 0x4600)},
		{"twice_int8", backend.Int8, backend.Int8, raw[int8](1, -2, 60), raw[int8](2, -4, 120)},
		{"twice_int16", backend.Int16, backend.Int16, raw[int16](1, -2, 300), raw[int16](2, -4, 600)},
		{"twice_int32", backend.Int32, backend.Int32, raw[int32](1, -2, 1<<20), raw[int32](2, -4, 1<<21)},
		{"twice_int64", backend.Int64, backend.Int64, raw[int64](1, -2, 1<<40), raw[int64](2, -4, 1<<41)},
		{"twice_uint8", backend.Uint8, backend.Uint8, raw[uint8](1, 2, 100), raw[uint8](2, 4, 200)},
		{"twice_uint16", backend.Uint16, backend.Uint16, raw[uint16](1, 2, 300), raw[uint16](2, 4, 600)},
		{"twice_uint32", backend.Uint32, backend.Uint32, raw[uint32](1, 2, 1<<30), raw[uint32](2, 4, 1<<31)},
		{"twice_uint64", backend.Uint64, backend.Uint64, raw[uint64](1, 2, 1<<40), raw[uint64](2, 4, 1<<41)},
		{"not_bool", backend.Bool, backend.Bool, []byte{1, 0, 1}, []byte{0, 1, 0}},
		{"to_bfloat16", backend.Float32, backend.BFloat16, raw[float32](1.5, -2, 3), raw[uint16](0x3fc0, 0xc000, 0x4040)},
		{"from_bfloat16", backend.BFloat16, backend.Float32, raw[uint16](0x3fc0, 0xc000, 0x4040), raw[float32](1.5, -2, 3)},
	}
	for _, c := range cases {
		t.Run(c.model, func(t *testing.T) {
			s := open(t, c.model, backend.Config{})
			if s.Inputs()[0].DType != c.in || s.Outputs()[0].DType != c.out {
				t.Fatalf("%v -> %v, want %v -> %v", s.Inputs()[0].DType, s.Outputs()[0].DType, c.in, c.out)
			}
			in := backend.Tensor{DType: c.in, Shape: []int64{1, 3}, Data: c.x}
			out := run(t, s, in)
			if !bytes.Equal(out[0].Data, c.wants) || !slices.Equal(out[0].Shape, []int64{1, 3}) {
				t.Errorf("the session's memory: % x %v, want % x", out[0].Data, out[0].Shape, c.wants)
			}
			room := make([]byte, len(c.wants)+8)
			given := []backend.Tensor{{Data: room}}
			if err := s.Run(t.Context(), []backend.Tensor{in}, given); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(room[:len(c.wants)], c.wants) || len(given[0].Data) != len(c.wants) {
				t.Errorf("the caller's memory: % x, want % x", room, c.wants)
			}
		})
	}
}

func raw[T backend.Element](v ...T) []byte { return backend.Bytes(v) }

func TestCallersMemory(t *testing.T) {
	t.Run("unforeseen", func(t *testing.T) {
		s := open(t, "data_dependent", backend.Config{})
		room := make([]int64, 4)
		out := []backend.Tensor{{Data: backend.Bytes(room)}}
		if err := s.Run(t.Context(), []backend.Tensor{floats([]float32{1, 0, 1}, 3)}, out); err != nil {
			t.Fatal(err)
		}
		wantTensor(t, out[0], []int64{0, 2}, 1, 2)
		if room[1] != 2 || out[0].Free != nil {
			t.Errorf("the caller's memory holds %v", room)
		}
	})
	t.Run("too small", func(t *testing.T) {
		for _, name := range []string{"data_dependent", "linear"} {
			s := open(t, name, backend.Config{})
			in := floats([]float32{1, 2, 3}, 3)
			if name == "linear" {
				in.Shape = []int64{1, 3}
			}
			out := make([]backend.Tensor, len(s.Outputs()))
			out[0].Data = make([]byte, 4)
			err := s.Run(t.Context(), []backend.Tensor{in}, out)
			if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(), "room for 4") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	})
}

func TestHalfPrecisionOfUnknownShape(t *testing.T) {
	s := open(t, "half_unforeseen", backend.Config{})
	in := []backend.Tensor{tensor("", backend.Float16, []uint16{1, 2, 3, 4}, 2, 2)}
	err := s.Run(t.Context(), in, make([]backend.Tensor, 1))
	if err == nil || !strings.Contains(err.Error(), `output "y" is float16[N]`) {
		t.Errorf("error %v", err)
	}
	out := []backend.Tensor{{Shape: []int64{4}, Data: make([]byte, 8)}}
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	wantTensor(t, out[0], []uint16{1, 2, 3, 4}, 4)
}

func TestRunRefusesWrongTensors(t *testing.T) {
	s := open(t, "linear", backend.Config{})
	good := floats([]float32{1, 2, 3}, 1, 3)
	cases := map[string]struct {
		in   []backend.Tensor
		outs int
		want string
	}{
		"count":   {nil, 2, "run with 0 inputs and 2 outputs, want 1 and 2"},
		"outputs": {[]backend.Tensor{good}, 1, "run with 1 inputs and 1 outputs, want 1 and 2"},
		"dtype": {[]backend.Tensor{tensor("", backend.Int32, []int32{1, 2, 3}, 1, 3)}, 2,
			"is given int32, want float32"},
		"rank":       {[]backend.Tensor{floats([]float32{1, 2, 3}, 3)}, 2, "is given shape [3], want [N,3]"},
		"dimension":  {[]backend.Tensor{floats([]float32{1, 2}, 1, 2)}, 2, "is given shape [1,2], want [N,3]"},
		"negative":   {[]backend.Tensor{floats([]float32{1, 2, 3}, -1, 3)}, 2, "want [N,3]"},
		"short data": {[]backend.Tensor{floats([]float32{1, 2}, 1, 3)}, 2, "is given 8 bytes for float32[1,3], want 12"},
		"huge":       {[]backend.Tensor{floats([]float32{1}, math.MaxInt64/2, 3)}, 2, "is given 4 bytes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := s.Run(t.Context(), c.in, make([]backend.Tensor, c.outs))
			if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestRunReportsTheLibrary runs with three tensors whose shapes should be equal. The failure must not affect the next
// run.
func TestRunReportsTheLibrary(t *testing.T) {
	s := open(t, "bert_like", backend.Config{})
	ints := func(n int64) backend.Tensor { return tensor("", backend.Int64, make([]int64, n), 1, n) }
	err := s.Run(t.Context(), []backend.Tensor{ints(2), ints(3), ints(4)}, make([]backend.Tensor, 1))
	if !errors.Is(err, ort.ErrRun) {
		t.Fatalf("error %v, want one of ONNX Runtime", err)
	}
	wantTensor(t, run(t, s, ints(1), ints(1), ints(1))[0], []float32{-1}, 1, 1)
}

// TestReleaseTwice releases two copies of a tensor: the second must not free memory that is in use again.
func TestReleaseTwice(t *testing.T) {
	s := open(t, "twice_float32", backend.Config{Concurrency: 1})
	first := make([]backend.Tensor, 1)
	if err := s.Run(t.Context(), []backend.Tensor{floats([]float32{1}, 1, 1)}, first); err != nil {
		t.Fatal(err)
	}
	stale := first[0]
	first[0].Release()
	second := run(t, s, floats([]float32{2}, 1, 1))
	stale.Release()
	third := run(t, s, floats([]float32{3}, 1, 1))
	wantTensor(t, second[0], []float32{4}, 1, 1)
	wantTensor(t, third[0], []float32{6}, 1, 1)
}

func TestFixedBatch(t *testing.T) {
	s := open(t, "fixed_batch", backend.Config{Concurrency: 1})
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	for _, n := range []int64{4, 3, 1, 4} {
		rows := floats(x[:2*n], n, 2)
		var twice []float32
		total := make([]float32, 2)
		for i, v := range x[:2*n] {
			twice = append(twice, 2*v)
			total[i%2] += v
		}
		out := run(t, s, rows)
		wantTensor(t, out[0], twice, n, 2)
		wantTensor(t, out[1], total, 2)
		given := []backend.Tensor{{Data: make([]byte, 8*n)}, {}}
		if err := s.Run(t.Context(), []backend.Tensor{rows}, given); err != nil {
			t.Fatal(err)
		}
		wantTensor(t, given[0], twice, n, 2)
	}
	for _, n := range []int64{0, 5} {
		err := s.Run(t.Context(), []backend.Tensor{floats(make([]float32, 2*n), n, 2)}, make([]backend.Tensor, 2))
		if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(), "want [4,2]") {
			t.Errorf("batch %d: error %v", n, err)
		}
	}
}

func TestFixedBatchOfSeveralInputs(t *testing.T) {
	s := open(t, "fixed_pair", backend.Config{})
	two, three := floats([]float32{1, 2}, 2, 1), floats([]float32{10, 20, 30}, 3, 1)
	wantTensor(t, run(t, s, two, two)[0], []float32{2, 4}, 2, 1)
	err := s.Run(t.Context(), []backend.Tensor{two, three}, make([]backend.Tensor, 1))
	if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(), "different batch sizes") {
		t.Errorf("error %v", err)
	}
}
