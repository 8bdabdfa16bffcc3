package sandbox

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPython starts an interpreter for an empty script, directly and in both boxes. It also reports the processor
// time of a start, which depends less on other programs.
func BenchmarkPython(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		path := find(b, true).Path
		loop(b, func() error { return exec.Command(path, "-I", "-B", "-c", "").Run() })
	})
	for name, weak := range map[string]bool{"whole": false, "weak": true} {
		b.Run(name, func(b *testing.B) {
			p := find(b, weak)
			loop(b, func() error {
				_, err := p.Run(b.Context(), "", nil, Limits{
					Wall: time.Minute, Output: 100, Memory: 4 << 30, Scratch: 64 << 20,
				})
				return err
			})
		})
	}
}

func loop(b *testing.B, start func() error) {
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if err := start(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// processorTime returns the processor time of all child processes that have ended, in ns.
func processorTime(b *testing.B) int64 {
	const children = -1
	var u syscall.Rusage
	if err := syscall.Getrusage(children, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
