package main

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/plugins/dlrm"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// BenchmarkSession is the bare loop that Offline is held against: a session for each core, one thread each, that runs one warm
// batch again and again. PLUMBLINE_ORT_LIB names the library.
func BenchmarkSession(b *testing.B) {
	library := os.Getenv("PLUMBLINE_ORT_LIB")
	if library == "" {
		b.Skip("PLUMBLINE_ORT_LIB is not set: it names ONNX Runtime's library")
	}
	for _, precision := range []string{"fp32", "int8"} {
		for _, samples := range []int{1, 2, 4, 8, 16} {
			b.Run(fmt.Sprintf("%s/samples=%d", precision, samples), func(b *testing.B) {
				runSessions(b, ort.Backend{Library: library}, precision, samples)
			})
		}
	}
}

func runSessions(b *testing.B, o ort.Backend, precision string, samples int) {
	w, err := dlrm.New().Open(b.Context(), sdk.Options{Precision: precision})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	s, err := o.Open(b.Context(), w.Model(), backend.Config{Concurrency: runtime.GOMAXPROCS(0)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var ran atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		in, pairs, err := warmBatch(b, w, s, samples)
		if err != nil {
			b.Error(err)
			return
		}
		out := make([]backend.Tensor, len(s.Outputs()))
		for pb.Next() {
			if err := s.Run(b.Context(), in, out); err != nil {
				b.Error(err)
				return
			}
			out[0].Release()
			ran.Add(int64(pairs))
		}
	})
	b.ReportMetric(float64(ran.Load())/b.Elapsed().Seconds(), "pairs/s")
}

// warmBatch collates the first samples.
func warmBatch(b *testing.B, w sdk.Workload, s backend.Session, samples int) ([]backend.Tensor, int, error) {
	var loaded []sdk.Sample
	for i := range samples {
		sample, err := w.Load(b.Context(), i)
		if err != nil {
			return nil, 0, err
		}
		loaded = append(loaded, sample)
	}
	batch := sdk.NewBatch(s.Inputs())
	if err := w.Collate(loaded, batch); err != nil {
		return nil, 0, err
	}
	return batch.Tensors(), int(batch.Tensors()[0].Shape[0]), nil
}
