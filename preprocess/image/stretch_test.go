package image

import (
	"errors"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// stretches makes the recipes that the golden stages are named after.
var stretches = map[string]func(size int, l Layout) Stretch{
	"coco_mobilenet":    func(size int, _ Layout) Stretch { return CocoMobilenet(size) },
	"coco_pt_mobilenet": CocoPtMobilenet,
	"coco_resnet34":     CocoResnet34,
	"coco_resnet34_tf":  CocoResnet34TF,
	"retinanet":         Retinanet,
}

// TestGoldenStretch checks every detection stage of the golden pictures, in the units of the recipe's own values.
func TestGoldenStretch(t *testing.T) {
	dir := goldenDir(t)
	stages := 0
	for name, picture := range readGolden(t, filepath.Join(dir, "expected.json")) {
		for stage := range picture.stages {
			m := regexp.MustCompile(`^(\w+?)_(\d+)_(nchw|nhwc)(_full)?$`).FindStringSubmatch(stage)
			if m == nil || stretches[m[1]] == nil {
				continue
			}
			stages++
			t.Run(name+"/"+stage, func(t *testing.T) {
				size, err := strconv.Atoi(m[2])
				if err != nil {
					t.Fatal(err)
				}
				layout := map[string]Layout{"nchw": NCHW, "nhwc": NHWC}[m[3]]
				checkStretch(t, stretches[m[1]](size, layout), readFile(t, dir, name),
					readNumbers(t, readFile(t, dir, name+"."+stage+".npy")))
			})
		}
	}
	if stages == 0 {
		t.Error("no detection stage")
	}
}

func checkStretch(t *testing.T, s Stretch, file []byte, want map[int]float64) {
	t.Helper()
	// Units of 0..255: one level of the uint8 recipe may be cut off differently, 5e-3 is what two
	// builds of OpenCV differ by.
	tolerance := 5e-3
	values := make([]float32, s.Len())
	if s.Uint8() {
		levels := make([]uint8, s.Len())
		if err := s.FromBytesUint8(levels, file, DecodeOptions{}); err != nil {
			t.Fatal(err)
		}
		for i, v := range levels {
			values[i] = float32(v)
		}
		tolerance = 1
	} else if err := s.FromBytes(values, file, DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	worst, off := 0.0, 0
	for i, w := range want {
		d := math.Abs(float64(values[i])-w) / unit(s)
		worst = max(worst, d)
		if d > 5e-3 {
			off++
		}
	}
	if len(want) == 0 || worst > tolerance || off > len(want)/100 {
		t.Errorf("%d values, %d off, the worst by %v; want within %v", len(want), off, worst, tolerance)
	}
}

// unit is how much a recipe's values differ for samples that differ by 1.
func unit(s Stretch) float64 { return float64(s.values[0][1] - s.values[0][0]) }

// TestStretchIsLinearFloat32 compares each recipe with its steps one after the other, for pictures larger and smaller
// than the input and of one pixel.
func TestStretchIsLinearFloat32(t *testing.T) {
	value := map[string]func(c int, v float64) float64{
		"coco_mobilenet":    func(_ int, v float64) float64 { return math.Floor(v) },
		"coco_pt_mobilenet": func(c int, v float64) float64 { return detectionStages["coco_pt_mobilenet"](v, c) },
		"coco_resnet34":     func(c int, v float64) float64 { return detectionStages["coco_resnet34"](v, c) },
		"coco_resnet34_tf":  func(c int, v float64) float64 { return detectionStages["coco_resnet34_tf"](v, c) },
		"retinanet":         func(c int, v float64) float64 { return detectionStages["retinanet"](v, c) },
	}
	for _, size := range [][2]int{{90, 70}, {7, 9}, {1, 1}, {40, 40}} {
		img := noisePicture(size[0], size[1])
		for name, recipe := range stretches {
			for _, layout := range []Layout{NCHW, NHWC} {
				s := recipe(40, layout)
				got, raw := applied(t, s, img), make([]float32, s.Len())
				if err := LinearFloat32(raw, img, 40, 40); err != nil {
					t.Fatal(err)
				}
				for i := range raw {
					at, c := i, i%channels
					if s.Layout() == NCHW {
						at = c*40*40 + i/channels
					}
					if want := value[name](c, float64(raw[i])); math.Abs(float64(got[at])-want) > 1e-4*unit(s) {
						t.Fatalf("%s, %v, %v: value %d is %v, want %v", name, layout, size, i, got[at], want)
					}
				}
			}
		}
	}
}

func applied(t *testing.T, s Stretch, img *RGB) []float32 {
	t.Helper()
	values := make([]float32, s.Len())
	if !s.Uint8() {
		if err := s.Apply(values, img); err != nil {
			t.Fatal(err)
		}
		return values
	}
	levels := make([]uint8, s.Len())
	if err := s.ApplyUint8(levels, img); err != nil {
		t.Fatal(err)
	}
	for i, v := range levels {
		values[i] = float32(v)
	}
	return values
}

func noisePicture(w, h int) *RGB {
	img := &RGB{W: w, H: h, Pix: make([]uint8, channels*w*h)}
	state := uint32(1)
	for i := range img.Pix {
		state = state*1664525 + 1013904223
		img.Pix[i] = uint8(state >> 24)
	}
	return img
}

// TestStretchReusesMemory applies one recipe to pictures of falling and rising size: what is left in
// its memory must not show.
func TestStretchReusesMemory(t *testing.T) {
	s := Retinanet(30, NCHW)
	small, large := noisePicture(5, 4), noisePicture(80, 60)
	first := slices.Clone(applied(t, s, small))
	applied(t, s, large)
	if !slices.Equal(applied(t, s, small), first) {
		t.Error("the same picture gave other values after a larger one")
	}
}

func TestStretchRefuses(t *testing.T) {
	img := noisePicture(3, 3)
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"zero", Stretch{}.Apply(nil, img), ErrBadRecipe},
		{"no size", Retinanet(0, NCHW).Apply(nil, img), ErrBadRecipe},
		{"uint8 of float32", Retinanet(2, NCHW).ApplyUint8(make([]uint8, 12), img), ErrBadRecipe},
		{"float32 of uint8", CocoMobilenet(2).Apply(make([]float32, 12), img), ErrBadRecipe},
		{"short buffer", Retinanet(2, NCHW).Apply(make([]float32, 11), img), ErrBuffer},
		{"nil picture", Retinanet(2, NCHW).Apply(make([]float32, 12), nil), ErrBadPicture},
		{"bad picture", CocoMobilenet(2).ApplyUint8(make([]uint8, 12), &RGB{W: 2, H: 2}), ErrBadPicture},
		{"no file", Retinanet(2, NCHW).FromBytes(make([]float32, 12), nil, DecodeOptions{}), ErrEmpty},
		{"no picture", CocoMobilenet(2).FromBytesUint8(make([]uint8, 12), []byte("text"), DecodeOptions{}), ErrFormat},
		{"too many pixels", Retinanet(2, NCHW).FromBytes(make([]float32, 12), readPhoto(t), DecodeOptions{MaxPixels: 4}),
			ErrTooLarge},
	}
	for _, test := range tests {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, test.err, test.want)
		}
	}
}
