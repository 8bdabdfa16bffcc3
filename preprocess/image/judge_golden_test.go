package image

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// judged is what the scorers of generated pictures made of one that a formula gives.
type judged struct {
	Name, Formula string
	Width, Height int
	SHA           string      `json:"picture_sha256"`
	Crop          goldenInput `json:"clip_crop_uint8"`
	CLIP          goldenInput `json:"clip_pixel_values"`
	FID           goldenInput `json:"fid_input"`
}

type goldenInput struct {
	SHA     string `json:"sha256"`
	Samples string
}

// TestGoldenJudgedPictures makes the inputs of CLIP and of the FID's network.
func TestGoldenJudgedPictures(t *testing.T) {
	golden.Each(t, "text_to_image/images/expected.json", func(t *testing.T, path string) {
		var want struct{ Pictures []judged }
		golden.ReadJSON(t, path, &want)
		if len(want.Pictures) == 0 {
			t.Fatal("no pictures")
		}
		for _, p := range want.Pictures {
			t.Run(p.Name, func(t *testing.T) { p.check(t, filepath.Dir(path)) })
		}
	})
}

func (p judged) check(t *testing.T, dir string) {
	t.Helper()
	img := drawFormula(t, p.Formula, p.Width, p.Height)
	if got := sha(img.Pix); got != p.SHA {
		t.Fatalf("the picture is another one: sha256 %s, want %s", got, p.SHA)
	}
	clip := OpenCLIP(224, NCHW)
	var crop RGB
	crop.setSize(224, 224)
	new(pictureResizer).resizeWindow(&crop, img, clip.cropWindow(img.W, img.H), PillowBicubic)
	if got := sha(crop.Pix); got != p.Crop.SHA {
		t.Errorf("crop: sha256 %s, want %s", got, p.Crop.SHA)
	}
	values := make([]float32, clip.Len())
	if err := clip.Apply(values, img); err != nil {
		t.Fatal(err)
	}
	checkSamples(t, "CLIP's input", values, filepath.Join(dir, p.CLIP.Samples), 1e-6)
	fid := Inception(299, NCHW)
	values = make([]float32, fid.Len())
	if err := fid.Apply(values, img); err != nil {
		t.Fatal(err)
	}
	checkSamples(t, "the FID's input", values, filepath.Join(dir, p.FID.Samples), 5e-5)
}

// checkSamples compares with an array of indices and one of values, of float64 after a header of 128 bytes.
func checkSamples(t *testing.T, what string, got []float32, path string, tolerance float64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const header = 128
	n := (len(data) - header) / 16
	at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[header+8*i:])) }
	worst := 0.0
	for i := range n {
		worst = max(worst, math.Abs(float64(got[int(at(i))])-at(n+i)))
	}
	if n < 100 || worst > tolerance {
		t.Errorf("%s: off by %v in %d values, want %v", what, worst, n, tolerance)
	}
}

func drawFormula(t testing.TB, formula string, w, h int) *RGB {
	t.Helper()
	value, ok := map[string]func(x, y, c int) int{
		"waves": func(x, y, c int) int { return x*(3+c) + y*(5-c) + x*y>>6 + 37*c },
		"checks": func(x, y, c int) int {
			if (x>>(3+c)+y>>(4-c))%2 == 1 {
				return 250 - 20*c
			}
			return 10 + 30*c
		},
		"ramp": func(x, y, c int) int {
			return [...]int{x * 255 / (w - 1), y * 255 / (h - 1), (x + y) * 255 / (w + h - 2)}[c]
		},
		"hash": func(x, y, c int) int {
			return int((uint32(x*73856093) ^ uint32(y*19349663) ^ uint32(c*83492791)) * 2654435761 >> 24)
		},
	}[formula]
	if !ok {
		t.Fatalf("unknown formula %q", formula)
	}
	img := &RGB{W: w, H: h}
	for i := range channels * w * h {
		img.Pix = append(img.Pix, uint8(value(i/channels%w, i/channels/w, i%channels)))
	}
	return img
}
