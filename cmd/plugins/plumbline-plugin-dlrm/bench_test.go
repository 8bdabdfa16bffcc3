package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/plugins/dlrm"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// benchPairs is the size of the samples, chosen so that batches have 2048 pairs.
const (
	benchPairs   = "256"
	benchSamples = 8
)

// BenchmarkSession is a bare loop for comparison with Offline: one session with one thread for each core runs collated
// batches, either one warm batch repeatedly or 32 in turn, which do not fit in a cache. PLUMBLINE_ORT_LIB names the
// library, and PLUMBLINE_DLRM_MODEL an additional model file of dlrm-v2.
func BenchmarkSession(b *testing.B) {
	library := os.Getenv("PLUMBLINE_ORT_LIB")
	if library == "" {
		b.Skip("PLUMBLINE_ORT_LIB is not set: it names ONNX Runtime's library")
	}
	files := []string{"embedded-fp32", "embedded-int8"}
	if path := os.Getenv("PLUMBLINE_DLRM_MODEL"); path != "" {
		files = append(files, path)
	}
	for _, file := range files {
		for _, batches := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/batches=%d", filepath.Base(file), batches), func(b *testing.B) {
				runSessions(b, ort.Backend{Library: library}, file, batches)
			})
		}
	}
}

func runSessions(b *testing.B, o ort.Backend, file string, batches int) {
	w, err := dlrm.New().Open(b.Context(), sdk.Options{ModelFile: file, Params: map[string]string{"grouping": benchPairs}})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	s, err := o.Open(b.Context(), w.Parts()[0].Model, backend.Config{Concurrency: runtime.GOMAXPROCS(0)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	inputs := collated(b, w, s, batches)
	var next, pairs atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		out := make([]backend.Tensor, len(s.Outputs()))
		for pb.Next() {
			in := inputs[int(next.Add(1))%batches]
			if err := s.Run(b.Context(), in, out); err != nil {
				b.Error(err)
				return
			}
			out[0].Release()
			pairs.Add(in[0].Shape[0])
		}
	})
	b.ReportMetric(float64(pairs.Load())/b.Elapsed().Seconds(), "pairs/s")
}

// collated returns the inputs of the data set's first batches.
func collated(b *testing.B, w sdk.Workload, s backend.Session, batches int) [][]backend.Tensor {
	b.Helper()
	inputs := make([][]backend.Tensor, batches)
	for i := range inputs {
		samples := make([]sdk.Sample, benchSamples)
		for k := range samples {
			var err error
			if samples[k], err = w.Load(b.Context(), i*benchSamples+k); err != nil {
				b.Fatal(err)
			}
		}
		batch := sdk.NewBatch(s.Inputs())
		if err := w.(sdk.Batcher).Collate(samples, batch); err != nil {
			b.Fatal(err)
		}
		inputs[i] = batch.Tensors()
	}
	return inputs
}
