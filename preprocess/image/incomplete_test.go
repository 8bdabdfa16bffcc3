package image

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenFoundPictures decodes the pictures on which something was found, and compares those of which there is a PNG
// of what OpenCV 4.12 makes of them.
func TestGoldenFoundPictures(t *testing.T) {
	comparePictures(t, filepath.Join(golden.Root(t), "found"))
}

// TestIncompletePictures does the same with progressive files whose scans stop early: sizes, samplings and numbers of
// scans are in the names.
func TestIncompletePictures(t *testing.T) {
	comparePictures(t, filepath.Join("testdata", "incomplete"))
}

func comparePictures(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jpg"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no pictures in %s (%v)", dir, err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) { comparePicture(t, f, strings.TrimSuffix(f, ".jpg")+".imread_4.12.png") })
	}
}

func comparePicture(t *testing.T, path, expected string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(expected)
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := Decode(text, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got.W != want.W || got.H != want.H || !bytes.Equal(got.Pix, want.Pix) {
		t.Errorf("%dx%d, want %dx%d; the largest difference is %d levels", got.W, got.H, want.W, want.H,
			largestDifference(got.Pix, want.Pix))
	}
}

func largestDifference(a, b []uint8) int {
	most := 0
	for i := range min(len(a), len(b)) {
		most = max(most, int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return most
}
