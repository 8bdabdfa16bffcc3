package index

import (
	"os"
	"strconv"
	"testing"
)

// size is how many vectors the graph of a benchmark has: PLUMBLINE_PASSAGES, or 4,000.
func size(b *testing.B) int {
	text, ok := os.LookupEnv("PLUMBLINE_PASSAGES")
	if !ok {
		return 4000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// officialDim is that of e5-base-v2.
const officialDim = 768

// BenchmarkSearch searches for 10 of all vectors, and reports how many of the nearest are found.
func BenchmarkSearch(b *testing.B) {
	g := build(b, cloud(1, size(b), officialDim), Official())
	queries := cloud(1, 64, officialDim) // of the first clusters
	for _, q := range queries {
		for k := range q {
			q[k] += 0.02 * float32(k%7-3)
		}
	}
	share := recall(g, queries, 10)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		g.Search(queries[i%len(queries)], 10)
	}
	b.ReportMetric(share, "recall")
}

// BenchmarkExact is the same by looking at all.
func BenchmarkExact(b *testing.B) {
	g := build(b, cloud(1, min(size(b), 4000), officialDim), Official())
	query := cloud(2, 1, officialDim)[0]
	b.ReportAllocs()
	for b.Loop() {
		g.Exact(query, 10)
	}
}

// BenchmarkBuild adds and links vectors; the unit is one of them.
func BenchmarkBuild(b *testing.B) {
	vectors := cloud(1, size(b), officialDim)
	b.ReportAllocs()
	for b.Loop() {
		build(b, vectors, Official())
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(vectors)), "us/vector")
}
