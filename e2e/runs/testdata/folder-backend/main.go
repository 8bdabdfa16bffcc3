// Command folder-backend is a backend process whose models are folders. The file class in the folder determines the
// class of every picture.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
)

func main() {
	if err := process.Serve(folders{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type folders struct{}

func (folders) Open(_ context.Context, m backend.Model, _ backend.Config) (backend.Session, error) {
	text, err := os.ReadFile(filepath.Join(m.Path, "weights", "class"))
	if err != nil {
		return nil, fmt.Errorf("%w: want a folder with the file weights/class: %w", backend.ErrModel, err)
	}
	class, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", backend.ErrModel, err)
	}
	return constant(class), nil
}

// constant gives each picture one class, in 32 bits.
type constant int32

func (constant) Inputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "input_tensor:0", DType: backend.Float32, Shape: []int64{-1, 3, 224, 224}}}
}

func (constant) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "ArgMax:0", DType: backend.Int32, Shape: []int64{-1}}}
}

func (constant) Limits() backend.Limits { return backend.Limits{Concurrency: 1} }

func (c constant) Run(_ context.Context, in, out []backend.Tensor) error {
	classes := make([]int32, backend.Rows(in))
	for i := range classes {
		classes[i] = int32(c)
	}
	out[0] = backend.Tensor{Name: "ArgMax:0", DType: backend.Int32, Shape: []int64{int64(len(classes))}, Data: backend.Bytes(classes)}
	return nil
}

func (constant) Close() error { return nil }
