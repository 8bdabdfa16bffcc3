package vl

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/datasets/products"
)

// catalogueRow is a row at the hub.
type catalogueRow struct {
	Picture struct {
		Bytes []byte `parquet:"bytes,optional,plain"`
		Path  string `parquet:"path,optional"`
	} `parquet:"product_image"`
	Title       string   `parquet:"product_title"`
	Description string   `parquet:"product_description"`
	Offered     []string `parquet:"potential_product_categories,list"`
	Category    string   `parquet:"ground_truth_category"`
	Brand       string   `parquet:"ground_truth_brand"`
	SecondHand  bool     `parquet:"ground_truth_is_secondhand"`
}

// writePage writes a catalogue of n products whose pictures of size bytes lie in one page, packed by Snappy, as pyarrow
// writes 1,024.
func writePage(b *testing.B, path string, n, size int) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := parquet.NewGenericWriter[catalogueRow](f, parquet.Compression(&parquet.Snappy),
		parquet.PageBufferSize(2*n*size), parquet.DataPageStatistics(false))
	r := rand.New(rand.NewPCG(1, 2))
	row := []catalogueRow{{Title: "a title", Offered: []string{"a > b", "c"}, Category: "a > b", Brand: "d"}}
	for range n {
		picture := make([]byte, size)
		for i := range picture {
			picture[i] = byte(r.IntN(255)) // no markers
		}
		copy(picture, "\xff\xd8\xff\xc0\x00\x02\xff\xda\x00\x02")
		copy(picture[size-2:], "\xff\xd9")
		row[0].Picture.Bytes = picture
		if _, err := w.Write(row); err != nil {
			b.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkBodies makes the requests of 1,024 products of one page, whose pictures have 120 kB. On Linux peak-MB is the
// most memory of the process meanwhile, and start-MB what it had before.
func BenchmarkBodies(b *testing.B) {
	const n, size = 1024, 120_000
	path := filepath.Join(b.TempDir(), "train-0.parquet")
	writePage(b, path, n, size)
	set, err := products.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	s := chatSettings{}
	if s.Words, err = readPromptWords("embedded"); err != nil {
		b.Fatal(err)
	}
	for range 3 { // what the file was written with lies in pools
		debug.FreeOSMemory()
	}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew, on Linux
	start := memoryOf("VmHWM")
	b.ReportAllocs()
	b.SetBytes(n * size)
	for b.Loop() {
		all, err := storeChats(b.Context(), set, &s, n)
		if err != nil {
			b.Fatal(err)
		}
		if err := all.Close(); err != nil {
			b.Fatal(err)
		}
	}
	if start > 0 {
		b.ReportMetric(start, "start-MB")
		b.ReportMetric(memoryOf("VmHWM"), "peak-MB")
	}
}

// memoryOf is a size of this process in MB, as Linux tells it; elsewhere 0.
func memoryOf(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			kilobytes, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			return kilobytes * 1024 / 1e6
		}
	}
	return 0
}
