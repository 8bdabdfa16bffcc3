package kserve

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// BenchmarkRun sends requests of 600 KB, the size of a picture, to a server in the same process, 64 at a time.
func BenchmarkRun(b *testing.B) {
	srv := serve(b, &server{}, "")
	s := open(b, map[string]string{"url": srv.address})
	const rows = 37500
	in := manyRows(rows)
	b.SetBytes(int64(len(in[1].Data)))
	b.ReportAllocs()
	b.SetParallelism(defaultConcurrency / 2)
	b.RunParallel(func(p *testing.PB) {
		out := make([]backend.Tensor, 2)
		for p.Next() {
			if err := s.Run(b.Context(), in, out); err != nil {
				b.Error(err)
			}
			out[0].Data, out[1].Data = nil, nil
		}
	})
}
