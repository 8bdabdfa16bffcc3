package ort_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestLimits(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	cases := []struct {
		name        string
		model       string
		config      backend.Config
		concurrency int
		batch, most int
	}{
		{"throughput", "linear", backend.Config{}, cores, 2, 0},
		{"asked", "linear", backend.Config{Concurrency: 5}, 5, 2, 0},
		{"low latency", "linear", backend.Config{LowLatency: true}, 1, 2, 0},
		{"threads", "linear", backend.Config{Options: map[string]string{"threads": strconv.Itoa(cores)}}, 1, 2, 0},
		{"fixed batch", "fixed_batch", backend.Config{Concurrency: 1}, 1, 4, 4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := backend.Limits{Concurrency: c.concurrency, PreferredBatch: c.batch, MaxBatch: c.most, Native: true}
			if got := open(t, c.model, c.config).Limits(); got != want {
				t.Errorf("limits are %+v, want %+v", got, want)
			}
		})
	}
}

// TestConcurrentRuns uses more callers than runners, each with its own numbers and shapes.
func TestConcurrentRuns(t *testing.T) {
	const callers, runs = 8, 200
	s := open(t, "linear", backend.Config{Concurrency: 3})
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			out := make([]backend.Tensor, 2)
			for i := range runs {
				n := 1 + (caller+i)%5
				if !linearHolds(t, s, n, float32(caller*runs+i), out) {
					return
				}
			}
		})
	}
	all.Wait()
}

// linearHolds runs n rows (v, 0, 0) through the model linear.
func linearHolds(t *testing.T, s backend.Session, n int, v float32, out []backend.Tensor) bool {
	x := make([]float32, 3*n)
	want := make([]float32, 2*n)
	for i := range n {
		x[3*i], want[2*i], want[2*i+1] = v, v+0.5, -v-0.5
	}
	if err := s.Run(t.Context(), []backend.Tensor{floats(x, int64(n), 3)}, out); err != nil {
		t.Error(err)
		return false
	}
	wantTensor(t, out[1], want, int64(n), 2)
	out[0].Release()
	out[1].Release()
	return !t.Failed()
}

func TestManySessions(t *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s, err := opener(t).Open(t.Context(), backend.Model{Path: file("linear")}, backend.Config{Concurrency: 2})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 20 {
				linearHolds(t, s, 1+i%3, float32(i), make([]backend.Tensor, 2))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestClose(t *testing.T) {
	s := open(t, "linear", backend.Config{Concurrency: 2})
	out := run(t, s, floats([]float32{1, 2, 3}, 1, 3))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantTensor(t, out[1], []float32{14.5, 1.5}, 1, 2)
	err := s.Run(t.Context(), []backend.Tensor{floats([]float32{1, 2, 3}, 1, 3)}, make([]backend.Tensor, 2))
	if !errors.Is(err, ort.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

// turns returns the inputs of model slow, whose run takes about 2 us per iteration.
func turns(n int64) []backend.Tensor {
	return []backend.Tensor{tensor("", backend.Int64, []int64{n}, 1), floats(make([]float32, 256), 16, 16)}
}

const endless = 1 << 40

func TestCloseWaitsForRuns(t *testing.T) {
	s := open(t, "slow", backend.Config{Concurrency: 2})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			err := s.Run(t.Context(), turns(2000), make([]backend.Tensor, 1))
			if err != nil && !errors.Is(err, ort.ErrClosed) {
				t.Error(err)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
}

func TestCancelEndsTheRun(t *testing.T) {
	s := open(t, "slow", backend.Config{Concurrency: 1})
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(reason) })
	if err := s.Run(ctx, turns(endless), make([]backend.Tensor, 1)); !errors.Is(err, reason) {
		t.Errorf("error %v", err)
	}
	if err := s.Run(ctx, turns(1), make([]backend.Tensor, 1)); !errors.Is(err, reason) {
		t.Errorf("error %v on an ended context", err)
	}
	run(t, s, turns(1)...)
}

// TestCancelEndsTheWait cancels a call while every runner is busy.
func TestCancelEndsTheWait(t *testing.T) {
	s := open(t, "slow", backend.Config{Concurrency: 1})
	busy, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() { _ = s.Run(busy, turns(endless), make([]backend.Tensor, 1)) })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Run(ctx, turns(endless), make([]backend.Tensor, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	stop()
	all.Wait()
}

// TestCancelRace cancels runs at about the time of their end: each returns its result or the cause and does not affect
// others.
func TestCancelRace(t *testing.T) {
	s := open(t, "linear", backend.Config{Concurrency: 2})
	for i := range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		out := make([]backend.Tensor, 2)
		err := s.Run(ctx, []backend.Tensor{floats([]float32{1, 2, 3}, 1, 3)}, out)
		if err == nil {
			wantTensor(t, out[1], []float32{14.5, 1.5}, 1, 2)
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if !linearHolds(t, s, 1, float32(i), out) {
			return
		}
	}
}

// TestMemoryStays runs and opens thousands of times. The smallest possible leak is about 100 bytes each.
func TestMemoryStays(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/self/statm")
	}
	models := []string{"linear", "data_dependent", "wrong_promise", "scalars", "twice_float16"}
	input := map[string][]backend.Tensor{
		"linear":         {floats([]float32{1, 2, 3}, 1, 3)},
		"data_dependent": {floats([]float32{1, 0, 3}, 3)},
		"wrong_promise":  {floats([]float32{1, 0, 3}, 3)},
		"scalars":        {floats([]float32{1, 0, 3}, 3), floats([]float32{1})},
		"twice_float16":  {tensor("", backend.Float16, []uint16{1, 2}, 1, 2)},
	}
	calls := 15_000 // a leak of 300 bytes a call is found
	if slow.All() {
		calls = 50_000
	}
	for _, name := range models {
		t.Run("run "+name, func(t *testing.T) {
			s := open(t, name, backend.Config{Concurrency: 1})
			out := make([]backend.Tensor, len(s.Outputs()))
			steady(t, calls, func() {
				if err := s.Run(t.Context(), input[name], out); err != nil {
					t.Fatal(err)
				}
				for i := range out {
					out[i].Release()
				}
			})
		})
	}
	t.Run("open", func(t *testing.T) {
		steady(t, 400, func() {
			s, err := opener(t).Open(t.Context(), backend.Model{Path: file("linear")}, backend.Config{Concurrency: 2})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// steady calls f n times to settle, and then again until the process has not grown by 4 MiB. A leak makes it grow each
// time, whereas the heaps of Go and C grow only occasionally.
func steady(t *testing.T, n int, f func()) {
	runtime.LockOSThread() // each thread has a heap of its own in C
	defer runtime.UnlockOSThread()
	for range n {
		f()
	}
	var grown []int
	for range 4 {
		before := resident(t)
		for range n {
			f()
		}
		grown = append(grown, resident(t)-before)
		if grown[len(grown)-1] <= 4<<20 {
			return
		}
	}
	t.Errorf("%d calls took %d bytes, again and again", n, grown)
}

// resident returns the memory of the process in bytes.
func resident(t *testing.T) int {
	fields := bytes.Fields(slices.Clip(read(t, "/proc/self/statm")))
	pages, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
