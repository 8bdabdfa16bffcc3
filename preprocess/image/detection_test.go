package image

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// detectionStages turn a resized sample, 0..255, of channel c into the value that the reference's function gives.
var detectionStages = map[string]func(v float64, c int) float64{
	"coco_pt_mobilenet": func(v float64, _ int) float64 { return (v - 127.5) / 127.5 },
	"coco_resnet34": func(v float64, c int) float64 {
		return (v/255 - [channels]float64{0.485, 0.456, 0.406}[c]) / [channels]float64{0.229, 0.224, 0.225}[c]
	},
	"coco_resnet34_tf": func(v float64, c int) float64 { return v - [channels]float64{123.68, 116.78, 103.94}[c] },
	"retinanet":        func(v float64, _ int) float64 { return v / 255 },
}

// TestGoldenDetection checks float32 resizing through the detection stages of the golden pictures.
func TestGoldenDetection(t *testing.T) {
	dir := goldenDir(t)
	for name, picture := range readGolden(t, filepath.Join(dir, "expected.json")) {
		for stage := range picture.stages {
			m := regexp.MustCompile(`^(\w+?)_(\d+)_(nchw|nhwc)(_full)?$`).FindStringSubmatch(stage)
			if m == nil || detectionStages[m[1]] == nil {
				continue
			}
			t.Run(name+"/"+stage, func(t *testing.T) {
				size, err := strconv.Atoi(m[2])
				if err != nil {
					t.Fatal(err)
				}
				img, err := Decode(readFile(t, dir, name), DecodeOptions{})
				if err != nil {
					t.Fatal(err)
				}
				checkDetection(t, img, size, m[3] == "nchw", detectionStages[m[1]],
					readNumbers(t, readFile(t, dir, name+"."+stage+".npy")))
			})
		}
	}
}

// checkDetection compares samples of a stage, by flat index, in units of the 0..255 scale.
func checkDetection(t *testing.T, img *RGB, size int, planes bool, value func(v float64, c int) float64,
	want map[int]float64) {
	t.Helper()
	const tolerance = 5e-3
	resized := make([]float32, channels*size*size)
	if err := LinearFloat32(resized, img, size, size); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i, w := range want {
		at, c := i, i%channels
		if planes {
			c = i / (size * size)
			at = channels*(i%(size*size)) + c
		}
		unit := value(1, c) - value(0, c)
		worst = max(worst, math.Abs(value(float64(resized[at]), c)-w)/unit)
	}
	if len(want) == 0 || worst > tolerance {
		t.Errorf("%d values, the worst %v off, want within %v", len(want), worst, tolerance)
	}
}

func readFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readNumbers reads a .npy file: a float32 or uint8 array, or float64 rows of flat indices and the values there.
func readNumbers(t *testing.T, data []byte) map[int]float64 {
	t.Helper()
	head := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	header, body := string(data[10:head]), data[head:]
	values := make(map[int]float64)
	switch {
	case strings.Contains(header, "'<f4'"):
		for i := range len(body) / 4 {
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:])))
		}
	case strings.Contains(header, "'|u1'"):
		for i, v := range body {
			values[i] = float64(v)
		}
	case strings.Contains(header, "'<f8'"):
		n := len(body) / 16
		at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(body[8*i:])) }
		for i := range n {
			values[int(at(i))] = at(n + i)
		}
	default:
		t.Fatalf("array of another kind: %s", header)
	}
	return values
}

func TestLinearFloat32(t *testing.T) {
	img := &RGB{W: 2, H: 2, Pix: []uint8{0, 10, 20, 100, 110, 120, 200, 210, 220, 100, 110, 120}}
	tests := []struct {
		name string
		w, h int
		at   int // the pixel that is compared
		want [channels]float32
	}{
		{"same size", 2, 2, 1, [channels]float32{100, 110, 120}},
		{"one pixel is the mean", 1, 1, 0, [channels]float32{100, 110, 120}},
		{"a corner stays", 4, 4, 0, [channels]float32{0, 10, 20}},
		{"a quarter to the right", 4, 4, 1, [channels]float32{25, 35, 45}},
		{"a quarter down", 4, 4, 4, [channels]float32{50, 60, 70}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dst := make([]float32, channels*test.w*test.h)
			if err := LinearFloat32(dst, img, test.w, test.h); err != nil {
				t.Fatal(err)
			}
			if got := [channels]float32(dst[channels*test.at:]); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
	if err := LinearFloat32(make([]float32, 11), img, 2, 2); err == nil {
		t.Error("no error for a buffer of 11 values for 2x2 pixels")
	}
}
