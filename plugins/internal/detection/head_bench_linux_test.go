package detection

import (
	"syscall"
	"testing"
)

// BenchmarkDetect has 8,400 boxes of which each may count, of all classes and of one.
func BenchmarkDetect(b *testing.B) {
	for name, classes := range map[string]int{"80 classes": COCOClasses, "one class": 1} {
		b.Run(name, func(b *testing.B) {
			c := headCase{N: 8400}
			out := c.output()
			for k := range c.N {
				for row := range 4 {
					out[row*c.N+k] = float32(mix(uint64(4*k+row))>>40) * 640 / (1 << 24) / float32(1+row/2*9)
				}
				out[(4+k%classes)*c.N+k] = float32(1+k) / float32(c.N+1)
			}
			var h DetectionHead
			h.Detect(out, COCOClasses, c.N)
			b.ReportAllocs()
			start := processorTime(b)
			for b.Loop() {
				h.Detect(out, COCOClasses, c.N)
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
