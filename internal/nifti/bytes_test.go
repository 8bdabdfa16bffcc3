package nifti

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadClassesOfAnyShape reads bytes as classes and, by the general way, as numbers: whole squares of voxels,
// parts of them, and both.
func TestReadClassesOfAnyShape(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][3]int{{8, 1, 8}, {1, 1, 1}, {7, 3, 40}, {40, 3, 7}, {16, 2, 16}, {17, 5, 29}, {24, 3, 33}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			labels := make([]uint8, shape[0]*shape[1]*shape[2])
			for i := range labels {
				labels[i] = uint8(random.IntN(3))
			}
			path := filepath.Join(t.TempDir(), "labels.nii")
			if err := WriteVolume(path, NibabelOrder, shape, [3]float64{1, 1, 1}, labels); err != nil {
				t.Fatal(err)
			}
			_, classes, err := ReadClasses(path, NibabelOrder, 2)
			if err != nil {
				t.Fatal(err)
			}
			_, values, err := ReadFloats(path, NibabelOrder)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if float32(classes[i]) != v || classes[i] != labels[i] {
					t.Fatalf("voxel %d: class %d, value %v, want %d", i, classes[i], v, labels[i])
				}
			}
		})
	}
}

func TestReadClassesNamesTheFirstWrongVoxel(t *testing.T) {
	shape := [3]int{17, 3, 29}
	for _, c := range []struct {
		voxel [3]int
		value uint8
		most  uint8
	}{{[3]int{0, 0, 0}, 3, 2}, {[3]int{5, 1, 6}, 128, 2}, {[3]int{16, 2, 28}, 255, 127}, {[3]int{9, 0, 17}, 201, 200}} {
		labels := make([]uint8, shape[0]*shape[1]*shape[2])
		labels[(c.voxel[0]*shape[1]+c.voxel[1])*shape[2]+c.voxel[2]] = c.value
		path := filepath.Join(t.TempDir(), "labels.nii")
		if err := WriteVolume(path, NibabelOrder, shape, [3]float64{1, 1, 1}, labels); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("voxel (%d, %d, %d) is %d", c.voxel[0], c.voxel[1], c.voxel[2], c.value)
		if _, _, err := ReadClasses(path, NibabelOrder, c.most); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("most %d: %v, want %q", c.most, err, want)
		}
		if _, _, err := ReadClasses(path, NibabelOrder, c.value); err != nil {
			t.Errorf("most %d: %v", c.value, err)
		}
	}
}
