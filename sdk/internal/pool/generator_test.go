package pool_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// writer is a generator whose answer is the number of its device.
type writer struct {
	device string
	err    error
}

func (w *writer) Generate(_ context.Context, _ backend.Prompt, sink backend.TokenSink) error {
	if w.err != nil {
		return w.err
	}
	sink.Complete(backend.Tokens{Text: w.device, N: 1})
	return nil
}

func (w *writer) Limits() backend.Limits { return backend.Limits{Concurrency: 4, MaxBatch: 2} }
func (w *writer) Close() error           { return w.err }

// texts is a sink that counts answers.
type texts struct {
	mu    sync.Mutex
	count map[string]uint64
}

func (t *texts) FirstToken(backend.Tokens) {}

func (t *texts) Complete(a backend.Tokens) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count[a.Text]++
}

func writers(t *testing.T, faults map[string]error) *pool.Generator {
	t.Helper()
	g, err := pool.OpenGenerators(t.Context(), backend.Config{Concurrency: 8}, []string{"a", "b"},
		func(_ context.Context, c backend.Config) (backend.Generator, error) {
			return &writer{c.Device, faults[c.Device]}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestPromptsAreShared(t *testing.T) {
	g := writers(t, nil)
	if got, want := g.Limits(), (backend.Limits{Concurrency: 8, MaxBatch: 2}); got != want {
		t.Errorf("limits %+v, want %+v", got, want)
	}
	sink := &texts{count: map[string]uint64{}}
	var callers sync.WaitGroup
	for range 100 {
		callers.Go(func() {
			if err := g.Generate(t.Context(), backend.Prompt{}, sink); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	want := []backend.WorkShare{{Name: "a", Batches: sink.count["a"], Samples: sink.count["a"]},
		{Name: "b", Batches: sink.count["b"], Samples: sink.count["b"]}}
	if got := g.Describe().Shares; !reflect.DeepEqual(got, want) || got[0].Samples+got[1].Samples != 100 ||
		got[0].Samples == 0 || got[1].Samples == 0 {
		t.Errorf("shares %+v, the answers are %+v", got, sink.count)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestABrokenGeneratorFailsByName(t *testing.T) {
	g := writers(t, map[string]error{"b": errBroken})
	sink := &texts{count: map[string]uint64{}}
	first, second := g.Generate(t.Context(), backend.Prompt{}, sink), g.Generate(t.Context(), backend.Prompt{}, sink)
	if first != nil || !errors.Is(second, errBroken) || !strings.HasPrefix(second.Error(), "device b: ") {
		t.Errorf("errors %v and %v, want one of device b", first, second)
	}
	if got := g.Shares()[1]; got.Samples != 0 {
		t.Errorf("what failed is counted: %+v", got)
	}
	if err := g.Close(); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}
