package batch_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// idle is a worker that answers at once, so only the cost of forming batches remains.
type idle struct {
	n    int
	done *sync.WaitGroup
}

func (w *idle) Collate(samples []loadgen.QuerySample) error { w.n = len(samples); return nil }
func (w *idle) Run(context.Context) error                   { return nil }
func (w *idle) Deliver() error                              { w.done.Add(-w.n); return nil }

// BenchmarkScheduler measures the cost per sample of forming batches of 8, without sizes and with them. One operation
// is one sample.
func BenchmarkScheduler(b *testing.B) {
	const chunk = 4096
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := make([]int, chunk)
	for i := range sizes {
		sizes[i] = 20 + rng.IntN(364)
	}
	for name, p := range map[string]batch.BatchPolicy{
		"server":               {},
		"server sum":           {Sizing: sizing(sizes, 3000, false)},
		"server alike":         {Sizing: sizing(sizes, 0, true)},
		"offline":              {Full: true},
		"offline alike":        {Full: true, Sizing: sizing(sizes, 0, true)},
		"offline sum of pairs": {Full: true, Sizing: sizing(sizes, 20000, false)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			p.Sessions, p.Workers, p.MaxBatch = 1, 1, 8
			var done sync.WaitGroup
			s := batch.New(b.Context(), p, func() batch.Worker { return &idle{done: &done} }, func(err error) { b.Error(err) })
			defer s.Close()
			samples := query(0, chunk)
			for left := b.N; left > 0; left -= chunk {
				n := min(left, chunk)
				done.Add(n)
				s.Submit(samples[:n], false)
			}
			done.Wait()
		})
	}
}
