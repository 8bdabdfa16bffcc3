package lidar

import (
	"math"
	"slices"
	"syscall"
	"testing"
)

// streetCalibration has the five cameras of a car, of 1920 x 1280 and 1920 x 886 pixels: ahead, half left and right,
// left and right.
func streetCalibration() (c Calibration, sizes [Cameras]PictureSize) {
	c.R0 = identityMatrix
	const half = 0.70710677
	for k, ahead := range [Cameras][2]float32{{1, 0}, {half, half}, {half, -half}, {0, 1}, {0, -1}} {
		x, y := ahead[0], ahead[1]
		c.Tr[k] = [16]float32{y, -x, 0, 0, 0, 0, -1, 2, x, y, 0, 0, 0, 0, 0, 1}
		sizes[k] = PictureSize{1280, 1920}
		if k > 2 {
			sizes[k].Height = 886
		}
		c.P[k] = [16]float32{2000, 0, 960, 0, 0, 2000, float32(sizes[k].Height) / 2, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	}
	return c, sizes
}

// scan is what a lidar of 64 rings sees from 2 m above the ground: walls at 5 to 70 m, and the ground before them.
func scan(n int) (points []float32) {
	const rings = 64
	for i := range n {
		ring, angle := i%rings, 2*math.Pi*float64(i)/float64(n)
		down := -0.3 + 0.33*float64(ring)/(rings-1)
		far := 5 + 65*math.Abs(math.Sin(7*angle)*math.Cos(3*angle))
		if down < 0 {
			far = min(far, -1.9/down)
		}
		x, y := far*math.Cos(angle), far*math.Sin(angle)
		points = append(points, float32(x), float32(y), float32(far*down), 0.5, 0.25)
	}
	return points
}

// BenchmarkPaintAndPillars takes a cloud of 160,000 points through its steps, with the logits of five pictures of the
// official sizes.
func BenchmarkPaintAndPillars(b *testing.B) {
	const n = 160_000
	calibration, sizes := streetCalibration()
	var views [Cameras]SegmentedView
	for k, s := range sizes {
		views[k] = SegmentedView{s.Height, s.Width, make([]float32, Classes*s.Height*s.Width)}
		for i := range views[k].Logits {
			views[k].Logits[i] = float32(i%17) / 4
		}
	}
	points := scan(n)
	space, grid, pillars := officialSpace(), officialGrid(b), new(Pillars)
	painter := new(Painter)
	var kept []float32
	b.ReportAllocs()
	start := processorTime(b)
	for b.Loop() {
		kept = space.Filter(append(kept[:0], points...))
		pillars.Fill(grid, kept, Values)
		painter.Start(pillars)
		for camera, size := range sizes {
			painter.AddCamera(&calibration, camera, size, views[camera].Score)
		}
		painter.Finish()
	}
	b.ReportMetric(float64(processorTime(b)-start)/float64(b.N), "cpu-ns/op")
	seen := 0
	for i := range pillars.Counts {
		for point := range slices.Chunk(pillars.PillarPoints(i), Painted) {
			if point[Values] > 0 {
				seen++
			}
		}
	}
	b.ReportMetric(float64(seen), "seen")
	b.ReportMetric(float64(len(pillars.Counts)), "pillars")
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
