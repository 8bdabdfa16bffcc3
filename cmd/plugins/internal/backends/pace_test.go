package backends_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// doubler is a backend whose model doubles numbers, omits negative ones, and counts its runs.
type doubler struct{ runs *int }

func (doubler) Describe() backend.Info                         { return backend.Info{Version: "doubler 1"} }
func (doubler) CheckDevices([]string, map[string]string) error { return nil }
func (d doubler) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return session(d), nil
}

type session doubler

func (session) Inputs() []backend.TensorInfo { return nil }
func (session) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "doubled", DType: backend.Float32}}
}
func (session) Limits() backend.Limits { return backend.Limits{} }
func (session) Close() error           { return nil }

// takes returns the duration of a run.
const takes = 2 * time.Millisecond

func (s session) Run(_ context.Context, in, out []backend.Tensor) error {
	time.Sleep(takes)
	*s.runs++
	if out[0].KeepOutput {
		return errors.New("asked to keep its output")
	}
	var doubled []float32
	for _, v := range backend.View[float32](in[0].Data) {
		if v >= 0 {
			doubled = append(doubled, 2*v)
		}
	}
	shape := []int64{int64(len(doubled))}
	out[0] = backend.Tensor{Name: "doubled", DType: backend.Float32, Shape: shape, Data: backend.Bytes(doubled)}
	return nil
}

// opened returns a session at a pace and the number of runs of the model.
func opened(t *testing.T, text string) (backend.Session, *int) {
	t.Helper()
	p, err := backends.ParsePace(text)
	if err != nil {
		t.Fatal(err)
	}
	runs := new(int)
	b := p.ApplyTo(doubler{runs})
	if info := b.(backend.Describer).Describe(); info.Version != "doubler 1" {
		t.Errorf("it says of itself %+v", info)
	}
	s, err := b.Open(t.Context(), backend.Model{}, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s, runs
}

func numbers(values ...float32) []backend.Tensor {
	return []backend.Tensor{{DType: backend.Float32, Shape: []int64{int64(len(values))}, Data: backend.Bytes(values)}}
}

// The model runs once for each distinct row, in any batch.
func TestAtOnce(t *testing.T) {
	s, runs := opened(t, "once")
	for _, in := range [][]float32{{1, 2}, {2, 1}, {2}, {1, 1, 2}, {2, 3}, {3, 1}} {
		out := make([]backend.Tensor, 1)
		if err := s.Run(t.Context(), numbers(in...), out); err != nil {
			t.Fatal(err)
		}
		got := backend.View[float32](out[0].Data)
		right := len(got) == len(in) && out[0].Shape[0] == int64(len(in)) && out[0].Name == "doubled"
		for i := range in {
			right = right && got[i] == 2*in[i]
		}
		if !right {
			t.Errorf("of %v: %+v", in, out[0])
		}
	}
	if *runs != 2 {
		t.Errorf("the model ran %d times, want for {1, 2} and {2, 3}", *runs)
	}
	mine := make([]float32, 2)
	out := []backend.Tensor{{Data: backend.Bytes(mine)}}
	if err := s.Run(t.Context(), numbers(3, 1), out); err != nil || !slices.Equal(mine, []float32{6, 2}) {
		t.Errorf("%v; in the caller's memory %v, want 6 and 2", err, mine)
	}
	out[0].Data = out[0].Data[:4]
	if err := s.Run(t.Context(), numbers(3, 1), out); !errors.Is(err, backend.ErrTensors) {
		t.Errorf("without room: %v", err)
	}
}

// For a model whose outputs have other rows than its inputs, whole batches are stored.
func TestAtOnceWithoutRows(t *testing.T) {
	s, runs := opened(t, "once")
	for _, in := range [][]float32{{1, -2}, {1, -2}, {1, -2}, {-2, 1}, {1}} {
		out := make([]backend.Tensor, 1)
		if err := s.Run(t.Context(), numbers(in...), out); err != nil {
			t.Fatal(err)
		}
		if got := backend.View[float32](out[0].Data); !slices.Equal(got, []float32{2}) {
			t.Errorf("of %v: %v, want 2", in, got)
		}
	}
	if *runs != 4 {
		t.Errorf("the model ran %d times, want twice for the first batch and once for each other one", *runs)
	}
}

// layered is a doubler whose output has two layers before the rows of the batch.
type layered struct{ session }

func (layered) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "doubled", DType: backend.Float32, Shape: []int64{2, -1}}}
}

func (s layered) Run(_ context.Context, in, out []backend.Tensor) error {
	*s.runs++
	n := in[0].Shape[0]
	out[0] = backend.Tensor{Name: "doubled", DType: backend.Float32, Shape: []int64{2, n}, Data: make([]byte, 8*n)}
	return nil
}

// TestAtOnceOfLayers checks a batch of two whose output has two layers, which are not rows.
func TestAtOnceOfLayers(t *testing.T) {
	p, err := backends.ParsePace("once")
	if err != nil {
		t.Fatal(err)
	}
	runs := new(int)
	s, err := p.ApplyTo(layers{doubler{runs}}).Open(t.Context(), backend.Model{}, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]float32{{1, 2}, {1, 2}, {1, 2, 1}} {
		out := make([]backend.Tensor, 1)
		if err := s.Run(t.Context(), numbers(in...), out); err != nil {
			t.Fatal(err)
		}
		if want := []int64{2, int64(len(in))}; !slices.Equal(out[0].Shape, want) {
			t.Errorf("of %v: shape %v, want %v", in, out[0].Shape, want)
		}
	}
	if *runs != 2 {
		t.Errorf("the model ran %d times, want once for each batch", *runs)
	}
}

// layers opens layered.
type layers struct{ doubler }

func (l layers) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return layered{session(l.doubler)}, nil
}

func TestAtOnceKeeps(t *testing.T) {
	s, runs := opened(t, "once")
	kept := []backend.Tensor{{KeepOutput: true}}
	if err := s.Run(t.Context(), numbers(1, 2), kept); err != nil || len(kept[0].Handles) != 1 {
		t.Fatalf("%v: %+v", err, kept[0])
	}
	out := make([]backend.Tensor, 1)
	for range 2 {
		err := s.Run(t.Context(), kept, out)
		if err != nil || !slices.Equal(backend.View[float32](out[0].Data), []float32{4, 8}) || *runs != 2 {
			t.Errorf("%v: %+v after %d runs", err, out[0], *runs)
		}
	}
	if backend.CacheMemory(s) == nil {
		t.Error("it keeps none")
	}
}

func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := opened(t, "10")
		began := time.Now()
		out := make([]backend.Tensor, 1)
		if err := s.Run(t.Context(), numbers(1), out); err != nil || backend.View[float32](out[0].Data)[0] != 2 {
			t.Fatalf("%v: %+v", err, out[0])
		}
		if took := time.Since(began); took != 10*takes {
			t.Errorf("a run took %v, want ten times %v", took, takes)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Run(ctx, numbers(1), out); !errors.Is(err, context.Canceled) {
			t.Errorf("after its context: %v", err)
		}
	})
}

// TestEach checks that a run of two samples takes twice as long as each sample.
func TestEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, runs := opened(t, "5ms")
		began := time.Now()
		out := make([]backend.Tensor, 1)
		if err := s.Run(t.Context(), numbers(1, 2), out); err != nil || backend.View[float32](out[0].Data)[1] != 4 {
			t.Fatalf("%v: %+v", err, out[0])
		}
		if took := time.Since(began); took != 10*time.Millisecond {
			t.Errorf("a run took %v, want 10 ms", took)
		}
		again := make([]backend.Tensor, 1)
		if err := s.Run(t.Context(), numbers(2), again); err != nil || *runs != 1 {
			t.Errorf("asked again: %v, the model ran %d times, want once", err, *runs)
		}
		if took := time.Since(began); took != 15*time.Millisecond {
			t.Errorf("both took %v, want 15 ms", took)
		}
	})
}

func TestParsePace(t *testing.T) {
	for _, text := range []string{"1", "-2", "twice", "0", "-5ms"} {
		if _, err := backends.ParsePace(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	if s, runs := opened(t, ""); s != (session{runs}) {
		t.Errorf("at the machine's own pace the session is %T", s)
	}
}
