package sdk

import (
	"context"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Typed is the core of a workload whose samples are of type S. Batches, Runs and Prompts make it a [Workload] of its
// way of running. Its optional interfaces are those of a Workload, with S in the place of Sample.
type Typed[S any] interface {
	Len() int
	Parts() []Part
	Load(ctx context.Context, i int) (S, error)
	Close() error
}

// BatcherOf is a [Batcher] of samples of type S.
type BatcherOf[S any] interface {
	Typed[S]
	Collate(samples []S, b *Batch) error
	Postprocess(outputs []backend.Tensor, samples []S, p *Payloads) error
}

// RunnerOf is a [Runner] of samples of type S.
type RunnerOf[S any] interface {
	Typed[S]
	NewRun(sessions Sessions) (RunOf[S], error)
	MaxBatch() int
}

// RunOf is a [Run] of samples of type S.
type RunOf[S any] interface {
	Run(ctx context.Context, samples []S, p *Payloads) error
}

// GenerativeOf is a [Generative] workload of samples of type S.
type GenerativeOf[S any] interface {
	Typed[S]
	Prompt(s S) (backend.Prompt, error)
	AppendTokens(dst []byte, s S, t backend.Tokens) (payload []byte, tokens int, err error)
}

// Batches is the workload w, which runs its samples in batches.
func Batches[S any](w BatcherOf[S]) Workload {
	return &batches[S]{typed[S]{w}, w, scratch[S]{}}
}

// Runs is the workload w, which takes its samples through the sessions itself.
func Runs[S any](w RunnerOf[S]) Workload { return &runs[S]{typed[S]{w}, w} }

// Prompts is the workload w, whose samples are prompts.
func Prompts[S any](w GenerativeOf[S]) Workload { return &prompts[S]{typed[S]{w}, w} }

// As finds an optional interface of a workload, or its own type: that of w, or of what Batches, Runs or Prompts made w
// of.
func As[T any](w Workload) (t T, ok bool) {
	if t, ok = w.(T); ok {
		return t, true
	}
	if of, made := w.(interface{ offers() []any }); made {
		for _, offer := range of.offers() {
			if t, ok = offer.(T); ok {
				return t, true
			}
		}
	}
	return t, false
}

// typed is the core of a workload for the sdk.
type typed[S any] struct{ Typed[S] }

// Load hides the type.
func (w typed[S]) Load(ctx context.Context, i int) (Sample, error) {
	s, err := w.Typed.Load(ctx, i)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// offers are what the workload is beyond its core: itself, and its optional interfaces that are about samples.
func (w typed[S]) offers() []any {
	all := []any{w.Typed}
	if o, ok := w.Typed.(interface{ WarmSample() S }); ok {
		all = append(all, warmOf[S]{o})
	}
	if o, ok := w.Typed.(sizerOf[S]); ok {
		all = append(all, sized[S]{o})
	}
	return all
}

type warmOf[S any] struct{ of interface{ WarmSample() S } }

func (w warmOf[S]) WarmSample() Sample { return w.of.WarmSample() }

type sizerOf[S any] interface {
	SampleSize(s S) int
	SizeRule() SizeRule
}

type sized[S any] struct{ sizerOf[S] }

func (w sized[S]) SampleSize(s Sample) int { return w.sizerOf.SampleSize(s.(S)) }

// scratch lends memory for the samples of a batch.
type scratch[S any] struct{ pool sync.Pool }

// with calls f with the samples as what they are.
func (m *scratch[S]) with(samples []Sample, f func(samples []S) error) error {
	memory, _ := m.pool.Get().(*[]S)
	if memory == nil {
		memory = new([]S)
	}
	own := (*memory)[:0]
	for _, s := range samples {
		own = append(own, s.(S))
	}
	err := f(own)
	clear(own)
	*memory = own
	m.pool.Put(memory)
	return err
}

type batches[S any] struct {
	typed[S]
	of      BatcherOf[S]
	scratch scratch[S]
}

func (w *batches[S]) Collate(samples []Sample, b *Batch) error {
	return w.scratch.with(samples, func(samples []S) error { return w.of.Collate(samples, b) })
}

func (w *batches[S]) Postprocess(outputs []backend.Tensor, samples []Sample, p *Payloads) error {
	return w.scratch.with(samples, func(samples []S) error { return w.of.Postprocess(outputs, samples, p) })
}

type runs[S any] struct {
	typed[S]
	of RunnerOf[S]
}

func (w *runs[S]) NewRun(sessions Sessions) (Run, error) {
	r, err := w.of.NewRun(sessions)
	if err != nil || r == nil {
		return nil, err
	}
	return &run[S]{of: r}, nil
}

func (w *runs[S]) MaxBatch() int { return w.of.MaxBatch() }

type run[S any] struct {
	of      RunOf[S]
	scratch scratch[S]
}

func (r *run[S]) Run(ctx context.Context, samples []Sample, p *Payloads) error {
	return r.scratch.with(samples, func(samples []S) error { return r.of.Run(ctx, samples, p) })
}

type prompts[S any] struct {
	typed[S]
	of GenerativeOf[S]
}

func (w *prompts[S]) Prompt(s Sample) (backend.Prompt, error) { return w.of.Prompt(s.(S)) }

func (w *prompts[S]) AppendTokens(dst []byte, s Sample, t backend.Tokens) ([]byte, int, error) {
	return w.of.AppendTokens(dst, s.(S), t)
}
