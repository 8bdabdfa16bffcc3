package dlrm

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// benchBatch is a batch of a thousand pairs of the embedded data: the first samples of the rules.
func benchBatch(b *testing.B, params map[string]string) (*clickWorkload, []*pairRun, int) {
	b.Helper()
	w := mustOpen(b, sdk.Options{Params: params})
	samples := load(b, w, 0, 1, 2, 4)
	return w, samples, countPairs(samples)
}

func reportPairs(b *testing.B, pairs int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(pairs), "ns/pair")
}

// BenchmarkCollate is what the harness adds to a pair on its way in: 214 indices, 26 offsets, 13 numbers.
func BenchmarkCollate(b *testing.B) {
	for _, layout := range []string{"bags", "lists"} {
		for _, index := range []string{"int64", "int32"} {
			b.Run(layout+"/"+index, func(b *testing.B) {
				w, samples, pairs := benchBatch(b, map[string]string{"layout": layout, "index": index})
				batch := sdk.NewBatch(w.Parts()[0].Model.Inputs)
				b.ReportAllocs()
				for b.Loop() {
					if err := w.Collate(samples, batch); err != nil {
						b.Fatal(err)
					}
				}
				reportPairs(b, pairs)
			})
		}
	}
}

// BenchmarkPostprocess is what the harness adds to a pair on its way out.
func BenchmarkPostprocess(b *testing.B) {
	w, samples, pairs := benchBatch(b, nil)
	out := []backend.Tensor{{DType: backend.Float32, Shape: []int64{int64(pairs)}, Data: make([]byte, 4*pairs)}}
	var p sdk.Payloads
	b.ReportAllocs()
	for b.Loop() {
		p.Reset()
		if err := w.Postprocess(out, samples, &p); err != nil {
			b.Fatal(err)
		}
	}
	reportPairs(b, pairs)
}

// BenchmarkGroup groups the pairs of the embedded data set, which happens once.
func BenchmarkGroup(b *testing.B) {
	g := pairGrouping{Seed: 123}
	const pairs = 271_600
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.groupPairs(pairs); err != nil {
			b.Fatal(err)
		}
	}
	reportPairs(b, pairs)
}
