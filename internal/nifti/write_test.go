package nifti

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	shape, spacing := [3]int{2, 3, 4}, [3]float64{2.5, 0.75, 0.5}
	values, labels := make([]int16, 24), make([]uint8, 24)
	want := make([]float32, 24)
	for i := range values {
		values[i], labels[i] = int16(100*i-1024), uint8(i%3)
		want[i] = float32(values[i])
	}
	image, classes := filepath.Join(t.TempDir(), "imaging.nii.gz"), filepath.Join(t.TempDir(), "segmentation.nii.gz")
	if err := errors.Join(WriteVolume(image, NibabelOrder, shape, spacing, values),
		WriteVolume(classes, NibabelOrder, shape, spacing, labels)); err != nil {
		t.Fatal(err)
	}
	h, got, err := ReadFloats(image, NibabelOrder)
	if err != nil {
		t.Fatal(err)
	}
	if h.Shape != shape || h.Spacing != spacing || h.Type != Int16 || h.Orientation() != "IPL" ||
		!slices.Equal(got, want) {
		t.Errorf("%+v, oriented %s, values %v", h, h.Orientation(), got)
	}
	h, gotLabels, err := ReadClasses(classes, NibabelOrder, 2)
	if err != nil || h.Type != Uint8 || !slices.Equal(gotLabels, labels) {
		t.Errorf("%v, labels %v, %+v", err, gotLabels, h)
	}
}

func TestVolumesInTheFilesOwnOrder(t *testing.T) {
	shape, spacing := [3]int{20, 3, 2}, [3]float64{2.5, 0.75, 0.5}
	values, labels := make([]int16, 120), make([]uint8, 120)
	want := make([]float32, 120)
	for i := range values {
		values[i], labels[i] = int16(100*i-1024), uint8(i%3)
		want[i] = float32(values[i])
	}
	image, classes := filepath.Join(t.TempDir(), "t1.nii.gz"), filepath.Join(t.TempDir(), "seg.nii.gz")
	if err := errors.Join(WriteVolume(image, SimpleITKOrder, shape, spacing, values),
		WriteVolume(classes, SimpleITKOrder, shape, spacing, labels)); err != nil {
		t.Fatal(err)
	}
	h, got, err := ReadFloats(image, SimpleITKOrder)
	if err != nil {
		t.Fatal(err)
	}
	if h.Shape != [3]int{2, 3, 20} || h.Spacing != [3]float64{0.5, 0.75, 2.5} || h.Orientation() != "LPS" ||
		!slices.Equal(got, want) {
		t.Errorf("%+v, oriented %s, values %v", h, h.Orientation(), got)
	}
	_, turned, err := ReadFloats(image, NibabelOrder)
	if err != nil || turned[1*3*20+2*20+7] != want[7*3*2+2*2+1] {
		t.Errorf("%v, or voxel (1, 2, 7) of the file is another one", err)
	}
	_, gotLabels, err := ReadClasses(classes, SimpleITKOrder, 2)
	if err != nil || !slices.Equal(gotLabels, labels) {
		t.Errorf("%v, labels %v", err, gotLabels)
	}
	if _, _, err := ReadClasses(classes, SimpleITKOrder, 1); err == nil ||
		!strings.Contains(err.Error(), "voxel (0, 1, 0) is 2") {
		t.Errorf("label 2 at voxel 2 of 2 by 3 by 20: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.nii.gz")
	for _, shape := range [][3]int{{2, 2, 3}, {-2, -4, 1}, {8, 1 << 15, 0}} {
		if err := WriteVolume(path, NibabelOrder, shape, [3]float64{1, 1, 1}, make([]uint8, 8)); !errors.Is(err, ErrFormat) {
			t.Errorf("shape %v: %v, want ErrFormat", shape, err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made for nothing")
	}
	if err := WriteVolume(filepath.Join(path, "y.nii.gz"), NibabelOrder, [3]int{1, 1, 1}, [3]float64{1, 1, 1},
		[]uint8{1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
