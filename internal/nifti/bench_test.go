package nifti

import (
	"path/filepath"
	"testing"
)

// BenchmarkReadClasses reads the labels of a volume of 128 x 384 x 384 voxels, of blocks of one class.
func BenchmarkReadClasses(b *testing.B) {
	shape := [3]int{128, 384, 384}
	labels := make([]uint8, shape[0]*shape[1]*shape[2])
	for i := range labels {
		labels[i] = uint8(i / 4096 % 3)
	}
	path := filepath.Join(b.TempDir(), "segmentation.nii.gz")
	if err := WriteVolume(path, NibabelOrder, shape, [3]float64{1.6, 1.2, 1.2}, labels); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(labels)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ReadClasses(path, NibabelOrder, 2); err != nil {
			b.Fatal(err)
		}
	}
}
