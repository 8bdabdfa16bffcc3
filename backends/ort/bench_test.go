package ort_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// imageNet is a real image classifier, input_tensor:0 float32[N,3,224,224], 18 MB. It is next to the project's folder,
// not in it.
func imageNet(b *testing.B) string {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			b.Skip("no go.work above the test's folder")
		}
	}
	path := filepath.Join(dir, "..", "shared", "models", "imagenet_lite0.onnx")
	if _, err := os.Stat(path); err != nil {
		b.Skipf("the model is absent: %v", err)
	}
	return path
}

func pictures(n int) backend.Tensor {
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, n*3*224*224)
	for i := range values {
		values[i] = r.Float32()*255 - 128
	}
	return floats(values, int64(n), 3, 224, 224)
}

// BenchmarkThroughput runs a bare loop over Run with a number of concurrent runs, each with one thread and one batch.
func BenchmarkThroughput(b *testing.B) {
	path := imageNet(b)
	for _, c := range []struct{ runs, threads, batch int }{
		{1, 1, 1}, {1, 1, 2}, {2, 1, 1}, {2, 1, 2}, {2, 1, 3}, {2, 1, 4}, {2, 1, 8}, {2, 1, 32}, {1, 2, 1},
		{1, 2, 2}, {1, 2, 8},
	} {
		b.Run(fmt.Sprintf("runs=%d/threads=%d/batch=%d", c.runs, c.threads, c.batch), func(b *testing.B) {
			s := openModel(b, backend.Model{Name: "imagenet_lite0", Path: path}, backend.Config{
				Concurrency: c.runs, Options: map[string]string{"threads": strconv.Itoa(c.threads)},
			})
			throughput(b, s, c.runs, c.batch)
		})
	}
}

// throughput counts one sample as an operation.
func throughput(b *testing.B, s backend.Session, runs, batch int) {
	in := []backend.Tensor{pictures(batch)}
	work := make(chan struct{}, runs)
	var all sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for range runs {
		all.Go(func() {
			out := make([]backend.Tensor, len(s.Outputs()))
			for range work {
				if err := s.Run(b.Context(), in, out); err != nil {
					b.Error(err)
				}
				for i := range out {
					out[i].Release()
				}
			}
		})
	}
	for n := 0; n < b.N; n += batch {
		work <- struct{}{}
	}
	close(work)
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "samples/s")
}

// BenchmarkLatency runs one sample after another on one of Go's processors, like a plugin that answers one query at a
// time.
func BenchmarkLatency(b *testing.B) {
	path := imageNet(b)
	for _, threads := range []string{"1", "2"} {
		for _, spin := range []string{"true", "false"} {
			b.Run("threads="+threads+"/spin="+spin, func(b *testing.B) {
				s := openModel(b, backend.Model{Name: "imagenet_lite0", Path: path}, backend.Config{
					Concurrency: 1, LowLatency: true, Options: map[string]string{"threads": threads, "spin": spin},
				})
				latency(b, s)
			})
		}
	}
}

func latency(b *testing.B, s backend.Session) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	in, out := []backend.Tensor{pictures(1)}, make([]backend.Tensor, len(s.Outputs()))
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		if err := s.Run(b.Context(), in, out); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		for i := range out {
			out[i].Release()
		}
	}
	slices.Sort(took)
	for _, percent := range []int{50, 90, 99} {
		b.ReportMetric(took[len(took)*percent/100].Seconds()*1e3, fmt.Sprintf("p%d-ms", percent))
	}
}

// BenchmarkOverhead runs a trivial model to measure the cost of a call, on the calling thread and on a thread that
// stays on its cores.
func BenchmarkOverhead(b *testing.B) {
	for name, device := range map[string]string{"any": "", "list": opener(b).Describe().Devices[0]} {
		b.Run("cores="+name, func(b *testing.B) { overhead(b, device) })
	}
}

func overhead(b *testing.B, device string) {
	s := open(b, "linear", backend.Config{Concurrency: 1, Device: device})
	in := []backend.Tensor{floats([]float32{1, 2, 3}, 1, 3)}
	out := make([]backend.Tensor, 2)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Run(b.Context(), in, out); err != nil {
			b.Fatal(err)
		}
		for i := range out {
			out[i].Release()
		}
	}
}
