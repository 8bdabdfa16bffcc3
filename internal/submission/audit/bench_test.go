package audit_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/official/audits"
)

// BenchmarkTEST01 compares 4,096 answers with an accuracy run of 50,000, by both readings.
func BenchmarkTEST01(b *testing.B) {
	dir := b.TempDir()
	r := audit.Request{Test: "TEST01", DType: "float32", Reference: audit.ResultLogs(filepath.Join(dir, "results")),
		Run: audit.RunLogs(dir)}
	size := writeAnswers(b, r.Reference.Accuracy, 50_000, 4) + writeAnswers(b, r.Run.Accuracy, 4096, 4)
	ctx := context.Background()
	b.Run("default", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(size)
		for b.Loop() {
			if v, err := audit.Verify(ctx, r); err != nil || v.Accuracy == audit.Passed {
				b.Fatal(err, v.Reasons)
			}
		}
	})
	b.Run("compatible", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(size)
		for b.Loop() {
			if _, err := audits.Verify(ctx, audits.Request{Request: r}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAccuracyLog reads a log of large payloads as a stream: a dozen of samples, 8 MiB each.
func BenchmarkAccuracyLog(b *testing.B) {
	dir := b.TempDir()
	r := audit.Request{Test: "TEST01", Reference: audit.ResultLogs(filepath.Join(dir, "results")), Run: audit.RunLogs(dir)}
	size := writeAnswers(b, r.Reference.Accuracy, 12, 8<<20) + writeAnswers(b, r.Run.Accuracy, 2, 8<<20)
	b.ReportAllocs()
	b.SetBytes(size)
	for b.Loop() {
		if _, err := audit.Verify(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// writeAnswers writes a log of n entries whose payloads have so many bytes, and returns its size.
func writeAnswers(tb testing.TB, path string, n, payload int) int64 {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range n {
		before := ","
		if i == 0 {
			before = "["
		}
		fmt.Fprintf(w, "%s\n{ \"seq_id\" : %d, \"qsl_idx\" : %d, \"data\" : \"", before, i, i)
		for range payload / 4 {
			fmt.Fprintf(w, "%08X", i)
		}
		fmt.Fprint(w, "\" }")
	}
	fmt.Fprint(w, "\n]\n")
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		tb.Fatal(err)
	}
	return info.Size()
}
