package export

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
)

func TestStreetsAreReadAsPublished(t *testing.T) {
	dir, drawn := filepath.Join(t.TempDir(), "out"), streets.Eval()
	if err := Streets(t.Context(), dir, drawn, 3, 5); err != nil {
		t.Fatal(err)
	}
	set, err := waymo.Open(dir, waymo.FrameOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 2 || len(set.Warnings()) > 0 {
		t.Fatalf("%d frames, warnings %q", set.Len(), set.Warnings())
	}
	for i := range set.Len() {
		if got, want := set.Frame(i), drawn.Frame(3+i); !reflect.DeepEqual(got, want) {
			t.Errorf("frame %d is %+v, want %+v", i, got, want)
		}
		got, err := set.ReadPoints(i)
		if want, _ := drawn.ReadPoints(3 + i); err != nil || !slices.Equal(got, want) {
			t.Errorf("frame %d: %d points, %v; want %d", i, len(got), err, len(want))
		}
		for k, shape := range set.Frame(i).Shapes {
			data, err := set.ReadPicture(i, k)
			if err != nil {
				t.Fatal(err)
			}
			if size, err := jpeg.DecodeConfig(bytes.NewReader(data)); err != nil || size.Width != shape.Width ||
				size.Height != shape.Height {
				t.Errorf("frame %d, camera %d: %+v, %v; want %+v", i, k, size, err, shape)
			}
		}
	}
}

func TestClassesOfPixelsLieBesideThePictures(t *testing.T) {
	dir, drawn := t.TempDir(), streets.Eval()
	if err := Streets(t.Context(), dir, drawn, 0, 1); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "training", "classes_3", "3000000.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if grey, ok := img.(*image.Gray); !ok || !bytes.Equal(grey.Pix, drawn.Classes(0, 3)) {
		t.Errorf("a %T of %v, want the classes as grey", img, img.Bounds())
	}
}

func TestStreetsRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first, end int
		want       string
	}{{0, 61, "61 of 60"}, {0, 1, "make the folder"}} {
		if err := Streets(t.Context(), file, streets.Eval(), c.first, c.end); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%d to %d: %v, want %q", c.first, c.end, err, c.want)
		}
	}
}
