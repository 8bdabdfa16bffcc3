package pool_test

import (
	"context"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// staged is a device with memory for inputs. It counts the batches that were in its memory.
type staged struct {
	backend.Session
	memory []byte
	inside *int
}

func (s *staged) Stage() backend.Stage { return s }

func (s *staged) Input(_, n int) []byte { return s.memory[:n] }

func (s *staged) Run(ctx context.Context, in, out []backend.Tensor) error {
	if &in[0].Data[0] == &s.memory[0] {
		*s.inside++
	}
	return s.Session.Run(ctx, in, out)
}

// TestBatchesAreCollatedInTheMemoryOfTheirDevice checks that the lane chooses the device before the first input.
func TestBatchesAreCollatedInTheMemoryOfTheirDevice(t *testing.T) {
	r, inside := &rig{}, map[string]*int{"a": new(int), "b": new(int)}
	s, err := pool.OpenSessions(t.Context(), backend.Config{}, []string{"a", "plain", "b"},
		func(ctx context.Context, c backend.Config) (backend.Session, error) {
			d, err := r.open(ctx, c)
			if n := inside[c.Device]; n != nil {
				return &staged{Session: d, memory: make([]byte, 64), inside: n}, err
			}
			return d, err
		})
	if err != nil {
		t.Fatal(err)
	}
	l := s.Lane()
	input := l.Stage()
	for range 6 {
		l.Begin(1)
		x := input.Input(0, 4)
		copy(x, []byte{7, 0, 0, 0})
		out := make([]backend.Tensor, 1)
		err := l.Run(t.Context(), []backend.Tensor{{DType: backend.Int32, Shape: []int64{1}, Data: x}}, out)
		l.End()
		if err != nil || out[0].Data[0] != 14 {
			t.Fatalf("7 doubled is %v, error %v", out[0].Data, err)
		}
	}
	if *inside["a"] != 2 || *inside["b"] != 2 {
		t.Errorf("%d batches came in the memory of a, %d in that of b, want 2 each of 6", *inside["a"], *inside["b"])
	}
	if (&rig{}).session(t, backend.Config{}, "a", "b").Lane().Stage() != nil {
		t.Error("devices without memory of their own offer some")
	}
}

// TestPreparedBatchesWaitForTheirDevice checks that additional lanes prepare the next batches and wait.
func TestPreparedBatchesWaitForTheirDevice(t *testing.T) {
	r := &rig{hold: make(chan struct{}), started: make(chan string, 4)}
	s := r.session(t, backend.Config{Concurrency: 2}, "a", "b")
	var running sync.WaitGroup
	chosen := map[string]int{}
	for range 4 {
		l := s.Lane()
		l.Begin(1)
		running.Go(func() {
			defer l.End()
			if err := run(t.Context(), l, 1); err != nil {
				t.Error(err)
			}
		})
	}
	for range 2 {
		chosen[<-r.started]++
	}
	if chosen["a"] != 1 || chosen["b"] != 1 || len(r.started) > 0 {
		t.Errorf("%v run at the same time, and %d more; want one on each device", chosen, len(r.started))
	}
	close(r.hold)
	running.Wait()
	for range 2 {
		chosen[<-r.started]++
	}
	if chosen["a"] != 2 || chosen["b"] != 2 {
		t.Errorf("%v, want two batches on each device", chosen)
	}
}

// TestAbandonedBatchesAreNoWork checks that abandoned batches do not count as a device's work.
func TestAbandonedBatchesAreNoWork(t *testing.T) {
	s := (&rig{}).session(t, backend.Config{}, "a", "b")
	l := s.Lane()
	for range 3 {
		l.Begin(5)
		l.Abandon()
	}
	for _, share := range s.Shares() {
		if share.Samples != 0 || share.Batches != 0 {
			t.Errorf("%+v, though nothing was run", share)
		}
	}
}
