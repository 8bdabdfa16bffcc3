package synthetic

import "testing"

func BenchmarkImagePNG(b *testing.B) {
	set := ImageEval()
	b.ReportAllocs()
	n := 0
	for i := 0; b.Loop(); i++ {
		n += len(set.PNG(i % set.Len()))
	}
	b.SetBytes(int64(n / b.N))
}
