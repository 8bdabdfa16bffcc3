package image

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"
)

// zoo is testdata/zoo.zip: small pictures of many kinds with what OpenCV and Pillow make of them. It is made by
// testdata/make_testdata.py.
type zoo struct {
	files   map[string][]byte
	decoded map[string]struct {
		W, H int
		Sum  string
	}
	resized []resizeCase
}

// resizeCase is a picture that lcg makes, and the sums of its resized forms.
type resizeCase struct {
	Seed                 uint32
	SW, SH, W, H         int
	Area, Linear, Pillow string
}

func readZoo(tb testing.TB) zoo {
	tb.Helper()
	r, err := zip.OpenReader("testdata/zoo.zip")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	z := zoo{files: make(map[string][]byte)}
	for _, f := range r.File {
		data := readZipped(tb, f)
		switch f.Name {
		case "decoded.json":
			err = json.Unmarshal(data, &z.decoded)
		case "resized.json":
			err = json.Unmarshal(data, &z.resized)
		default:
			z.files[f.Name] = data
		}
		if err != nil {
			tb.Fatalf("%s: %v", f.Name, err)
		}
	}
	return z
}

func readZipped(tb testing.TB, f *zip.File) []byte {
	tb.Helper()
	r, err := f.Open()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// shortSum is the sum that the zoo's pictures carry.
func shortSum(img *RGB) string { return sha(img.Pix)[:16] }

func TestDecodeAsOpenCV(t *testing.T) {
	z := readZoo(t)
	if len(z.files) == 0 || len(z.files) != len(z.decoded) {
		t.Fatalf("%d pictures, %d sums", len(z.files), len(z.decoded))
	}
	for name, want := range z.decoded {
		t.Run(name, func(t *testing.T) {
			img, err := Decode(z.files[name], DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if img.W != want.W || img.H != want.H || shortSum(img) != want.Sum {
				t.Errorf("%dx%d %s, want %dx%d %s", img.W, img.H, shortSum(img), want.W, want.H, want.Sum)
			}
		})
	}
}

// lcg makes the picture that make_testdata.py makes of the same arguments.
func lcg(w, h int, seed uint32) *RGB {
	img := new(RGB)
	img.setSize(w, h)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = uint8(seed >> 24)
	}
	return img
}

func TestResizeAsReferences(t *testing.T) {
	for _, c := range readZoo(t).resized {
		src := lcg(c.SW, c.SH, c.Seed)
		before := slices.Clone(src.Pix)
		for f, want := range map[Filter]string{Area: c.Area, Linear: c.Linear, PillowBilinear: c.Pillow} {
			t.Run(fmt.Sprintf("%dx%d to %dx%d %v", c.SW, c.SH, c.W, c.H, f), func(t *testing.T) {
				got, err := Resize(src, c.W, c.H, f)
				if err != nil {
					t.Fatal(err)
				}
				if got.W != c.W || got.H != c.H || shortSum(got) != want {
					t.Errorf("%dx%d %s, want %s", got.W, got.H, shortSum(got), want)
				}
			})
		}
		if !slices.Equal(before, src.Pix) {
			t.Errorf("resizing changed the source %dx%d", c.SW, c.SH)
		}
	}
}
