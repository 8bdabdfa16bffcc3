package image

import (
	"fmt"
	"syscall"
	"testing"
)

func BenchmarkLetterbox(b *testing.B) {
	data := readPhoto(b)
	img, err := Decode(data, DecodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	l := NewLetterbox(640, false)
	place := l.Place(img.W, img.H)
	dst := make([]float32, l.Len())
	for name, work := range map[string]func() error{
		fmt.Sprintf("decoded %dx%d to %dx%d", img.W, img.H, place.W, place.H): func() error { return l.Apply(dst, img) },
		"file": func() error { return l.FromBytes(dst, data, DecodeOptions{}) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			start := processorTime(b)
			for b.Loop() {
				if err := work(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what this process has had, in nanoseconds: a busy machine takes none of it.
func processorTime(b *testing.B) int64 {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
