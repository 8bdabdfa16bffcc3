package ort_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// The test imitates a decoder's loop: the backend keeps the state of one model over its steps, reorders it between
// them, and passes it to another model at the end.
func TestStateStaysOverStepsAndModels(t *testing.T) {
	step, reader := open(t, "recurrent", backend.Config{}), open(t, "linear", backend.Config{})
	x := floats([]float32{1, 0, 0, 1}, 2, 2)
	h := floats(make([]float32, 6), 2, 3)
	for range 2 {
		out := []backend.Tensor{{KeepOutput: true}}
		if err := step.Run(t.Context(), []backend.Tensor{x, h}, out); err != nil {
			t.Fatal(err)
		}
		h.Release() // what the step read
		h = out[0]
		h.Rows = []int32{1, 0}
	}
	defer h.Release()
	// Rows of x W: [1 0 -1], [2 1 0]. After one step these, after two [1 0 -1] + [2 1 0]/2 and [2 1 0] + [1 0 -1]/2.
	out := make([]backend.Tensor, 2)
	if err := reader.Run(t.Context(), []backend.Tensor{h}, out); err != nil {
		t.Fatal(err)
	}
	y := slices.IndexFunc(reader.Outputs(), func(o backend.TensorInfo) bool { return o.Name == "y:0" })
	// linear is [a b c] -> [a+2b+3c+0.5, c-a-0.5]; the rows come swapped: [2.5 1 -0.5], [2 0.5 -1].
	if got, want := backend.View[float32](out[y].Data), []float32{3.5, -3.5, 0.5, -3.5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestKeptOutlivesNoSession(t *testing.T) {
	s := open(t, "recurrent", backend.Config{})
	in := []backend.Tensor{floats([]float32{1, 0}, 1, 2), floats(make([]float32, 3), 1, 3)}
	out := []backend.Tensor{{KeepOutput: true}}
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	in[1] = out[0]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), in, make([]backend.Tensor, 1)); !errors.Is(err, ort.ErrClosed) {
		t.Errorf("error %v, want %v", err, ort.ErrClosed)
	}
}

// A failed run keeps nothing and reports the fault.
func TestKeepsNothingOfAFailedRun(t *testing.T) {
	s := open(t, "recurrent", backend.Config{})
	out := []backend.Tensor{{KeepOutput: true}}
	err := s.Run(t.Context(), []backend.Tensor{floats([]float32{1}, 1, 1), floats(make([]float32, 3), 1, 3)}, out)
	if !errors.Is(err, backend.ErrTensors) || out[0].Handles != nil {
		t.Errorf("error %v, %d handles; want %v and none", err, len(out[0].Handles), backend.ErrTensors)
	}
}
