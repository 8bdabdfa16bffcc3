package plugins

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestPythonBackendKeeps checks that the example meets the sdk's requirements, including kept states: it runs a step
// with a state.
func TestPythonBackendKeeps(t *testing.T) {
	script := filepath.Join(built.Root(), "examples", "python-backend", "backend.py")
	sdktest.RunBackendSuite(t, sdktest.Backend{
		Backend: process.Backend{Command: built.NeedPython(t) + " " + script, Output: io.Discard},
		Model: backend.Model{
			Name: "recurrent", Path: filepath.Join(built.Root(), "backends", "ort", "testdata", "recurrent.onnx"),
		},
	})
}

// TestPythonBackendHasSeveralModels gives two models to one process, and the state of one to the other.
func TestPythonBackendHasSeveralModels(t *testing.T) {
	script := filepath.Join(built.Root(), "examples", "python-backend", "backend.py")
	b := process.Backend{Command: built.NeedPython(t) + " " + script, Output: io.Discard}
	open := func(name string, beside ...backend.Session) backend.Session {
		path := filepath.Join(built.Root(), "backends", "ort", "testdata", name+".onnx")
		s, err := b.Open(t.Context(), backend.Model{Name: name, Path: path},
			backend.Config{Concurrency: 1, Part: name, Siblings: beside})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	step := open("recurrent")
	reader := open("linear", step)
	in := []backend.Tensor{
		{DType: backend.Float32, Shape: []int64{1, 2}, Data: backend.Bytes([]float32{1, 0})},
		{DType: backend.Float32, Shape: []int64{1, 3}, Data: backend.Bytes([]float32{0, 0, 0})},
	}
	state, out := []backend.Tensor{{KeepOutput: true}}, make([]backend.Tensor, 2)
	if err := step.Run(t.Context(), in, state); err != nil {
		t.Fatal(err)
	}
	defer state[0].Release()
	if err := reader.Run(t.Context(), state, out); err != nil {
		t.Fatal(err)
	}
	// The state is [1 0 -1]; linear returns a+2b+3c+0.5 and c-a-0.5.
	if y := backend.View[float32](out[1].Data); y[0] != -1.5 || y[1] != -2.5 {
		t.Errorf("%v, want [-1.5 -2.5]", y)
	}
}
