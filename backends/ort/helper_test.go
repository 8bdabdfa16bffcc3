package ort_test

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var findLibrary = sync.OnceValues(func() (string, error) {
	return ortlib.FindLibrary(context.Background(), runtime.GOOS, runtime.GOARCH)
})

// opener returns the backend under test. It skips the test on a platform without a library.
func opener(tb testing.TB) ort.Backend {
	tb.Helper()
	path, err := findLibrary()
	if errors.Is(err, ortlib.ErrPlatform) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return ort.Backend{Library: path}
}

func file(name string) string { return filepath.Join("testdata", name+".onnx") }

// open opens a model of testdata and closes it when the test ends.
func open(tb testing.TB, name string, c backend.Config) backend.Session {
	tb.Helper()
	return openModel(tb, backend.Model{Name: name, Path: file(name)}, c)
}

func openModel(tb testing.TB, m backend.Model, c backend.Config) backend.Session {
	tb.Helper()
	s, err := opener(tb).Open(tb.Context(), m, c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func tensor[T backend.Element](name string, d backend.DType, values []T, shape ...int64) backend.Tensor {
	return backend.Tensor{Name: name, DType: d, Shape: shape, Data: backend.Bytes(values)}
}

func floats(values []float32, shape ...int64) backend.Tensor {
	return tensor("", backend.Float32, values, shape...)
}
