package tensorcache_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/backend/tensorcache"
)

// rows returns a tensor of rows of two numbers.
func rows(values ...float32) backend.Tensor {
	return backend.Tensor{DType: backend.Float32, Shape: []int64{int64(len(values) / 2), 2}, Data: backend.Bytes(values)}
}

// held keeps values in the memory of runs, and counts releases in freed.
func held(t *testing.T, k *tensorcache.Runs, freed *int, values ...float32) backend.Tensor {
	t.Helper()
	out := []backend.Tensor{{KeepOutput: true}}
	err := k.Run(nil, out, func(_, out []backend.Tensor) error {
		out[0] = rows(values...)
		out[0].Free = func() { *freed++ }
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func TestRunsGatherRows(t *testing.T) {
	var k tensorcache.Runs
	freed := 0
	a, b := held(t, &k, &freed, 1, 2, 3, 4), held(t, &k, &freed, 5, 6)
	for _, c := range []struct {
		kept []*backend.OutputHandle
		rows []int32
		want []float32
	}{
		{a.Handles, nil, []float32{1, 2, 3, 4}},
		{a.Handles, []int32{0}, []float32{1, 2}},
		{a.Handles, []int32{1, 1, 0}, []float32{3, 4, 3, 4, 1, 2}},
		{append(slices.Clone(a.Handles), b.Handles...), nil, []float32{1, 2, 3, 4, 5, 6}},
		{append(slices.Clone(b.Handles), a.Handles...), []int32{2, 0}, []float32{3, 4, 5, 6}},
		{a.Handles, []int32{}, nil},
		{a.Handles, []int32{0, 0}, []float32{1, 2, 1, 2}},
		{a.Handles, []int32{0, 0}, []float32{1, 2, 1, 2}}, // again
		{b.Handles, []int32{0, 0}, []float32{5, 6, 5, 6}},
		{append(slices.Clone(a.Handles), b.Handles...), nil, []float32{1, 2, 3, 4, 5, 6}},
	} {
		in := []backend.Tensor{rows(make([]float32, len(c.want))...)}
		in[0].Data, in[0].Handles, in[0].Rows = nil, c.kept, c.rows
		err := k.Run(in, nil, func(in, _ []backend.Tensor) error {
			if got := backend.View[float32](in[0].Data); !slices.Equal(got, c.want) || in[0].Handles != nil {
				t.Errorf("rows %v: %v, want %v", c.rows, got, c.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("rows %v: %v", c.rows, err)
		}
	}
	a.Release()
	b.Release()
	if freed != 2 {
		t.Errorf("%d freed, want both", freed)
	}
}

func TestRunsKeepNothingOfAFailedRun(t *testing.T) {
	var k tensorcache.Runs
	failed := errors.New("out of memory")
	out := []backend.Tensor{{KeepOutput: true}}
	if err := k.Run(nil, out, func(_, _ []backend.Tensor) error { return failed }); !errors.Is(err, failed) ||
		out[0].Handles != nil {
		t.Errorf("error %v, %d handles", err, len(out[0].Handles))
	}
}

// A session can execute several runs at a time, each in its own memory.
func TestRunsAtATime(t *testing.T) {
	var k tensorcache.Runs
	freed := 0
	a := held(t, &k, &freed, 1, 2, 3, 4)
	var workers sync.WaitGroup
	defer workers.Wait()
	for r := range int32(2) {
		workers.Go(func() {
			for range 100 {
				in := []backend.Tensor{{DType: backend.Float32, Shape: []int64{2, 2}, Handles: a.Handles, Rows: []int32{r, r}}}
				_ = k.Run(in, nil, func(in, _ []backend.Tensor) error {
					if got := backend.View[float32](in[0].Data); got[0] != float32(1+2*r) || got[2] != got[0] {
						t.Errorf("row %d: %v", r, got)
					}
					return nil
				})
			}
		})
	}
}
