package null

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// preferredBatch is large, because each batch costs a switch between goroutines, whatever its size.
const preferredBatch = 4096

// Backend returns every model's inputs as its outputs.
type Backend struct{}

// Open opens any model whose inputs and outputs have the same form. There are no options.
func (Backend) Open(_ context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	if len(c.Options) > 0 {
		return nil, fmt.Errorf("%w: the null backend has none, found %s", backend.ErrOption,
			strings.Join(slices.Sorted(maps.Keys(c.Options)), ", "))
	}
	if _, err := backend.Bind("output", m.Outputs, m.Inputs); err != nil {
		return nil, err
	}
	return &nullSession{model: m, concurrency: c.Concurrency}, nil
}

// Describe returns the version.
func (Backend) Describe() backend.Info {
	return backend.Info{Version: "null 1", Devices: []string{"none"}}
}

type nullSession struct {
	model       backend.Model
	concurrency int
	batches     atomic.Uint64
}

// Describe returns the number of batches so far.
func (s *nullSession) Describe() backend.Info {
	info := Backend{}.Describe()
	info.Details = map[string]string{"batches": fmt.Sprint(s.batches.Load())}
	return info
}

func (s *nullSession) Inputs() []backend.TensorInfo  { return s.model.Inputs }
func (s *nullSession) Outputs() []backend.TensorInfo { return s.model.Outputs }
func (s *nullSession) Close() error                  { return nil }

func (s *nullSession) Limits() backend.Limits {
	return backend.Limits{Concurrency: s.concurrency, PreferredBatch: preferredBatch}
}

// Run makes the outputs share the memory of the inputs, or copies if the caller provides memory.
func (s *nullSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := backend.CheckTensors("input", s.model.Inputs, in); err != nil {
		return err
	}
	s.batches.Add(1)
	for i := range out {
		data := in[i].Data
		if out[i].Data != nil {
			if len(out[i].Data) < len(data) {
				return fmt.Errorf("output %d: room for %d bytes, want %d", i, len(out[i].Data), len(data))
			}
			data = out[i].Data[:copy(out[i].Data, data)]
		}
		out[i] = backend.Tensor{Name: in[i].Name, DType: in[i].DType, Shape: in[i].Shape, Data: data}
	}
	return nil
}
