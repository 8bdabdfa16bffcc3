package auc

import (
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkAUC scores 50 million pairs in payloads of 250,000. One pair in 30 is positive, as in Criteo's data. It adds
// the same payload repeatedly, so that the time to generate payloads is not measured.
func BenchmarkAUC(b *testing.B) {
	const pairs, each = 50_000_000, 250_000
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float32, 0, 2*each)
	for range each {
		label := float32(0)
		if random.IntN(30) == 0 {
			label = 1
		}
		values = append(values, float32(1/(1+math.Exp(3-random.NormFloat64()-float64(label)))), label)
	}
	payload := f32(values...)
	b.ReportAllocs()
	for b.Loop() {
		s, err := New(Truth{}, PayloadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range pairs / each {
			if err := s.Add(uint64(i), payload); err != nil {
				b.Fatal(err)
			}
		}
		r, err := s.Result()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(r.AUC, "AUC")
	}
}
