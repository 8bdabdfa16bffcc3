package nifti

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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
	if err := errors.Join(Write(image, shape, spacing, values), Write(classes, shape, spacing, labels)); err != nil {
		t.Fatal(err)
	}
	h, got, err := ReadFloats(image)
	if err != nil {
		t.Fatal(err)
	}
	if h.Shape != shape || h.Spacing != spacing || h.Type != Int16 || h.Orientation() != "IPL" ||
		!slices.Equal(got, want) {
		t.Errorf("%+v, oriented %s, values %v", h, h.Orientation(), got)
	}
	h, gotLabels, err := ReadClasses(classes, 2)
	if err != nil || h.Type != Uint8 || !slices.Equal(gotLabels, labels) {
		t.Errorf("%v, labels %v, %+v", err, gotLabels, h)
	}
}

func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.nii.gz")
	for _, shape := range [][3]int{{2, 2, 3}, {-2, -4, 1}, {8, 1 << 15, 0}} {
		if err := Write(path, shape, [3]float64{1, 1, 1}, make([]uint8, 8)); !errors.Is(err, ErrFormat) {
			t.Errorf("shape %v: %v, want ErrFormat", shape, err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made for nothing")
	}
	if err := Write(filepath.Join(path, "y.nii.gz"), [3]int{1, 1, 1}, [3]float64{1, 1, 1},
		[]uint8{1}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
