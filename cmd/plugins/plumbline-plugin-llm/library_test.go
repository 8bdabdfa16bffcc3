package main

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/plugins/llm"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var findLibrary = sync.OnceValues(func() (string, error) {
	return ortlib.FindLibrary(context.Background(), runtime.GOOS, runtime.GOARCH)
})

// opened is the benchmark with its embedded model on ONNX Runtime.
type opened struct {
	workload sdk.Workload
	session  backend.Session
}

// open opens the model with a precision. It skips the test on a platform without a library.
func open(tb testing.TB, precision string) opened {
	tb.Helper()
	path, err := findLibrary()
	if errors.Is(err, ortlib.ErrPlatform) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	w, err := llm.New().Open(tb.Context(), sdk.Options{Precision: precision})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := ort.Backend{Library: path}.Open(tb.Context(), w.Parts()[0].Model, backend.Config{Concurrency: 2})
	if err != nil {
		tb.Fatal(err)
	}
	return opened{w, s}
}

// generator decodes n sequences together, and closes when the test ends.
func (o opened) generator(tb testing.TB, n int) backend.Generator {
	tb.Helper()
	maker, _ := sdk.As[sdk.SessionGenerator](o.workload)
	g, err := maker.NewGenerator(sdk.Sessions{"": o.session}, backend.Config{MaxBatch: n})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := g.Close(); err != nil {
			tb.Error(err)
		}
	})
	return g
}

func (o opened) prompt(tb testing.TB, i int) backend.Prompt {
	tb.Helper()
	s, err := o.workload.Load(tb.Context(), i)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := o.workload.(sdk.Generative).Prompt(s)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// answer is a sink that stores the tokens of an answer.
type answer struct{ ids []int32 }

func (a *answer) FirstToken(backend.Tokens) {}

func (a *answer) Complete(t backend.Tokens) { a.ids = append(a.ids, t.IDs...) }
