//go:build unix

package index

import (
	"os"
	"strconv"
	"syscall"
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

// processorTime is what this process has had, in nanoseconds: a busy machine takes none of it.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

// BenchmarkSearch searches for 10 of all vectors, with the official efSearch of 100 and with less, and reports how many
// of the nearest are found: by queries that lie near some of them, and by such as are far from all.
func BenchmarkSearch(b *testing.B) {
	g := build(b, cloud(1, size(b), officialDim), OfficialParams())
	near := cloud(1, 64, officialDim) // of the first clusters
	for _, q := range near {
		for k := range q {
			q[k] += 0.02 * float32(k%7-3)
		}
	}
	for _, queries := range []struct {
		name string
		all  [][]float32
	}{{"near", near}, {"far", cloud(2, 64, officialDim)}} {
		for _, ef := range []int{100, 40, 20} {
			b.Run(queries.name+"/ef="+strconv.Itoa(ef), func(b *testing.B) {
				g.EFSearch = ef
				share := recall(g, queries.all)
				b.ReportAllocs()
				b.ResetTimer()
				before := processorTime(b)
				for i := 0; b.Loop(); i++ {
					g.Search(queries.all[i%len(queries.all)], 10)
				}
				b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
				b.ReportMetric(share, "recall")
			})
		}
	}
}

// BenchmarkExact is the same by looking at all.
func BenchmarkExact(b *testing.B) {
	g := build(b, cloud(1, min(size(b), 4000), officialDim), OfficialParams())
	query := cloud(2, 1, officialDim)[0]
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		g.SearchAll(query, 10)
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// BenchmarkBuild adds and links vectors; the unit is one of them.
func BenchmarkBuild(b *testing.B) {
	vectors := cloud(1, size(b), officialDim)
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		build(b, vectors, OfficialParams())
	}
	b.ReportMetric(float64(processorTime(b)-before)/1e3/float64(b.N*len(vectors)), "cpu-us/vector")
}
