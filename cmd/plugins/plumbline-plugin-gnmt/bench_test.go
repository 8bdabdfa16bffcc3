package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
	"github.com/plumbline-ml/plumbline/plugins/gnmt"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// timed is a session whose runs are timed.
type timed struct {
	backend.Session
	took time.Duration
	runs int
}

func (s *timed) CacheMemory() any { return backend.CacheMemory(s.Session) }

func (s *timed) Run(ctx context.Context, in, out []backend.Tensor) error {
	began := time.Now()
	err := s.Session.Run(ctx, in, out)
	s.took += time.Since(began)
	s.runs++
	return err
}

// opened is the benchmark with its embedded model on ONNX Runtime, one run with one thread at a time.
type opened struct {
	workload  sdk.Workload
	parts     map[string]*timed
	generator backend.Generator
}

func open(tb testing.TB, precision string, sentences int) *opened {
	tb.Helper()
	library, err := ortlib.FindLibrary(tb.Context(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		tb.Skip(err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	w, err := gnmt.New().Open(tb.Context(), sdk.Options{Precision: precision})
	if err != nil {
		tb.Fatal(err)
	}
	o, sessions := &opened{workload: w, parts: map[string]*timed{}}, sdk.Sessions{}
	for _, p := range w.Parts() {
		if p.LeftOut() {
			continue
		}
		s, err := ort.Backend{Library: library}.Open(tb.Context(), p.Model, backend.Config{
			Concurrency: 1, Options: map[string]string{"threads": "1"},
		})
		if err != nil {
			tb.Fatal(err)
		}
		o.parts[p.Name] = &timed{Session: s}
		sessions[p.Name] = o.parts[p.Name]
	}
	maker, _ := sdk.As[sdk.SessionGenerator](w)
	o.generator, err = maker.NewGenerator(sessions, backend.Config{MaxBatch: 10 * sentences})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := o.generator.Close(); err != nil {
			tb.Error(err)
		}
	})
	return o
}

// BenchmarkSentences translates the sentences of the embedded data set with 10 beams, several at a time. An operation
// is 200 sentences. It reports the share of the time in each part and outside of the parts, in the search and in moving
// states.
func BenchmarkSentences(b *testing.B) {
	for _, precision := range []string{"fp32", "int8"} {
		for _, together := range []int{1, 4, 16, 32} {
			b.Run(fmt.Sprintf("%s/together=%d", precision, together), func(b *testing.B) {
				sentences(b, open(b, precision, together))
			})
		}
	}
}

func sentences(b *testing.B, o *opened) {
	const count = 200
	prompter, _ := sdk.As[sdk.Generative](o.workload)
	prompts := make([]backend.Prompt, count)
	for i := range prompts {
		sample, err := o.workload.Load(b.Context(), i)
		if err != nil {
			b.Fatal(err)
		}
		if prompts[i], err = prompter.Prompt(sample); err != nil {
			b.Fatal(err)
		}
	}
	for _, p := range o.parts {
		p.took, p.runs = 0, 0
	}
	for b.Loop() {
		translate(b, o.generator, prompts)
	}
	report(b, o.parts, count)
}

// report reports the distribution of a benchmark's time.
func report(b *testing.B, parts map[string]*timed, count int) {
	spent, outside := b.Elapsed().Seconds(), 1.
	for name, s := range parts {
		share := s.took.Seconds() / spent
		outside -= share
		b.ReportMetric(100*share, name+"-%")
		b.ReportMetric(float64(s.runs)/float64(b.N*count), name+"-runs/sentence")
	}
	b.ReportMetric(100*outside, "outside-%")
	b.ReportMetric(float64(b.N*count)/spent, "sentences/s")
}

// translate searches for all prompts concurrently.
func translate(b *testing.B, g backend.Generator, prompts []backend.Prompt) {
	var calls sync.WaitGroup
	for _, p := range prompts {
		calls.Go(func() {
			if err := g.Generate(b.Context(), p, silent{}); err != nil {
				b.Error(err)
			}
		})
	}
	calls.Wait()
}

// silent is a sink that stores nothing.
type silent struct{}

func (silent) FirstToken(backend.Tokens) {}
func (silent) Complete(backend.Tokens)   {}
