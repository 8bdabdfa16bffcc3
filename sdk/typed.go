package sdk

import (
	"context"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TypedWorkload is the core of a workload whose samples are of type S. Batches, Runs and Prompts turn it into a
// [Workload]. It may have the optional interfaces of a Workload, with S instead of Sample.
type TypedWorkload[S any] interface {
	Len() int
	Parts() []Part
	Load(ctx context.Context, i int) (S, error)
	Close() error
}

// BatcherOf is a [Batcher] of samples of type S.
type BatcherOf[S any] interface {
	TypedWorkload[S]
	Collate(samples []S, b *Batch) error
	Postprocess(outputs []backend.Tensor, samples []S, p *Payloads) error
}

// RunnerOf is a [Runner] of samples of type S.
type RunnerOf[S any] interface {
	TypedWorkload[S]
	NewRun(sessions Sessions) (RunOf[S], error)
	MaxBatch() int
}

// RunOf is a [Run] of samples of type S.
type RunOf[S any] interface {
	Run(ctx context.Context, samples []S, p *Payloads) error
}

// GenerativeOf is a [Generative] workload of samples of type S.
type GenerativeOf[S any] interface {
	TypedWorkload[S]
	Prompt(s S) (backend.Prompt, error)
	AppendTokens(dst []byte, s S, t backend.Tokens) (payload []byte, tokens int, err error)
}

// Batches returns a Workload that runs the samples of w in batches.
func Batches[S any](w BatcherOf[S]) Workload {
	return &typedBatcher[S]{typedCore[S]{w}, w, sampleScratch[S]{}}
}

// Runs returns a Workload from w, which runs its samples through the sessions itself.
func Runs[S any](w RunnerOf[S]) Workload { return &typedRunner[S]{typedCore[S]{w}, w} }

// Prompts returns a Workload from w, whose samples are prompts.
func Prompts[S any](w GenerativeOf[S]) Workload { return &typedPrompter[S]{typedCore[S]{w}, w} }

// As returns an optional interface of a workload, or the workload as its own type. It checks w and the value that
// Batches, Runs or Prompts wrapped.
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

// typedCore is the core of a workload for the sdk.
type typedCore[S any] struct{ TypedWorkload[S] }

// Load returns the sample without its type.
func (w typedCore[S]) Load(ctx context.Context, i int) (Sample, error) {
	s, err := w.TypedWorkload.Load(ctx, i)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// offers returns the values that may implement optional interfaces: the workload itself, and adapters of the interfaces
// that concern samples.
func (w typedCore[S]) offers() []any {
	all := []any{w.TypedWorkload}
	if o, ok := w.TypedWorkload.(interface{ WarmSample() S }); ok {
		all = append(all, warmOf[S]{o})
	}
	if o, ok := w.TypedWorkload.(sizerOf[S]); ok {
		all = append(all, sizedCore[S]{o})
	}
	return all
}

type warmOf[S any] struct{ inner interface{ WarmSample() S } }

func (w warmOf[S]) WarmSample() Sample { return w.inner.WarmSample() }

type sizerOf[S any] interface {
	SampleSize(s S) int
	SizeRule() SizeRule
}

type sizedCore[S any] struct{ sizerOf[S] }

func (w sizedCore[S]) SampleSize(s Sample) int { return w.sizerOf.SampleSize(s.(S)) }

// sampleScratch provides memory for the samples of a batch.
type sampleScratch[S any] struct{ pool sync.Pool }

// withTyped calls f with the samples as values of their type.
func (m *sampleScratch[S]) withTyped(samples []Sample, f func(samples []S) error) error {
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

type typedBatcher[S any] struct {
	typedCore[S]
	inner   BatcherOf[S]
	scratch sampleScratch[S]
}

func (w *typedBatcher[S]) Collate(samples []Sample, b *Batch) error {
	return w.scratch.withTyped(samples, func(samples []S) error { return w.inner.Collate(samples, b) })
}

func (w *typedBatcher[S]) Postprocess(outputs []backend.Tensor, samples []Sample, p *Payloads) error {
	return w.scratch.withTyped(samples, func(samples []S) error { return w.inner.Postprocess(outputs, samples, p) })
}

type typedRunner[S any] struct {
	typedCore[S]
	inner RunnerOf[S]
}

func (w *typedRunner[S]) NewRun(sessions Sessions) (Run, error) {
	r, err := w.inner.NewRun(sessions)
	if err != nil || r == nil {
		return nil, err
	}
	return &typedRun[S]{inner: r}, nil
}

func (w *typedRunner[S]) MaxBatch() int { return w.inner.MaxBatch() }

type typedRun[S any] struct {
	inner   RunOf[S]
	scratch sampleScratch[S]
}

func (r *typedRun[S]) Run(ctx context.Context, samples []Sample, p *Payloads) error {
	return r.scratch.withTyped(samples, func(samples []S) error { return r.inner.Run(ctx, samples, p) })
}

type typedPrompter[S any] struct {
	typedCore[S]
	inner GenerativeOf[S]
}

func (w *typedPrompter[S]) Prompt(s Sample) (backend.Prompt, error) { return w.inner.Prompt(s.(S)) }

func (w *typedPrompter[S]) AppendTokens(dst []byte, s Sample, t backend.Tokens) ([]byte, int, error) {
	return w.inner.AppendTokens(dst, s.(S), t)
}
