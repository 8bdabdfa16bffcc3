package volume

import "testing"

// BenchmarkImage prepares a volume of a common size, 130 slices of 512 x 512 voxels, which becomes 256 x 320 x 320.
func BenchmarkImage(b *testing.B) {
	from, spacing := Shape{130, 512, 512}, [3]float64{3, 0.78, 0.78}
	image := make([]float32, from.Voxels())
	for i := range image {
		image[i] = float32(i%2000) - 1000
	}
	var dst []float32
	var shape Shape
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		var err error
		if dst, shape, err = KiTS19(128).PrepareImage(dst, image, from, spacing); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(shape.Voxels())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvoxel/s")
}

// BenchmarkBlend adds the scores of a layer of windows and finishes it.
func BenchmarkBlend(b *testing.B) {
	s, shape := newSliding(b, 128), Shape{128, 192, 192}
	blend, result := NewBlend(s, 3), make([]uint8, shape.Voxels())
	scores, origins := make([]float32, 3*s.Voxels()), s.AppendOrigins(nil, shape)
	b.ReportAllocs()
	for b.Loop() {
		if err := blend.Start(shape, result); err != nil {
			b.Fatal(err)
		}
		for _, origin := range origins {
			if err := blend.Add(origin, scores); err != nil {
				b.Fatal(err)
			}
		}
		if err := blend.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*len(origins)), "ms/window")
}
