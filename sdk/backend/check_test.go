package backend_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestCheckTensors(t *testing.T) {
	want := []backend.TensorInfo{
		{Name: "images", DType: backend.Float32, Shape: []int64{-1, 3}}, {Name: "ids", DType: backend.Int64,
			Shape: []int64{-1}},
	}
	good := func() []backend.Tensor {
		return []backend.Tensor{
			{DType: backend.Float32, Shape: []int64{2, 3}, Data: make([]byte, 24)},
			{DType: backend.Int64, Shape: []int64{2}, Data: make([]byte, 16)},
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(in []backend.Tensor) []backend.Tensor
		parts []string // none: no error
	}{
		{"good", func(in []backend.Tensor) []backend.Tensor { return in }, nil},
		{"empty", func(in []backend.Tensor) []backend.Tensor {
			in[1].Shape, in[1].Data = []int64{0}, nil
			return in
		}, nil},
		{"number", func(in []backend.Tensor) []backend.Tensor { return in[:1] }, []string{"1 inputs, want 2"}},
		{"dtype", func(in []backend.Tensor) []backend.Tensor {
			in[0].DType = backend.Uint8
			return in
		}, []string{"input 0 (images float32[N,3]): it is uint8"}},
		{"shape", func(in []backend.Tensor) []backend.Tensor {
			in[0].Shape = []int64{2, 4}
			return in
		}, []string{"its shape is [2,4]"}},
		{"negative", func(in []backend.Tensor) []backend.Tensor {
			in[0].Shape = []int64{-2, 3}
			return in
		}, []string{"its shape is [N,3]"}},
		{"more bytes than there are numbers", func(in []backend.Tensor) []backend.Tensor {
			in[1].Shape, in[1].Data = []int64{1 << 61}, nil
			return in
		}, []string{"input 1 (ids int64[N]): 0 bytes, want 9223372036854775807"}},
		{"all faults", func(in []backend.Tensor) []backend.Tensor {
			in[0].Data = in[0].Data[:23]
			in[1].Data = nil
			return in
		}, []string{"23 bytes, want 24", "input 1 (ids int64[N]): 0 bytes, want 16"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := backend.CheckTensors("input", want, c.spoil(good()))
			if (err == nil) != (c.parts == nil) || err != nil && !errors.Is(err, backend.ErrTensors) {
				t.Fatalf("error %v", err)
			}
			for _, part := range c.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
		})
	}
}

func TestCheckTensorsAllocatesNothing(t *testing.T) {
	want := []backend.TensorInfo{{DType: backend.Float32, Shape: []int64{-1, 3}}}
	in := []backend.Tensor{{DType: backend.Float32, Shape: []int64{2, 3}, Data: make([]byte, 24)}}
	if n := testing.AllocsPerRun(100, func() {
		if err := backend.CheckTensors("input", want, in); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a check without faults", n)
	}
}
