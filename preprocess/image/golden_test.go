package image

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenDir is the folder of the golden pictures, or the test is skipped.
func goldenDir(t *testing.T) string {
	t.Helper()
	return filepath.Join(golden.Root(t), "preprocess", "images")
}

// goldenArray describes an array that the reference computed.
type goldenArray struct {
	Shape []int  `json:"shape"`
	SHA   string `json:"sha256_le_bytes"`
}

// goldenPicture is what the reference made of one picture: its decoded form and its stages by name.
type goldenPicture struct {
	decoded goldenArray
	stages  map[string]goldenArray
}

// readGolden reads an expected.json: entries have either imread and stages, or imread_bgr8 with the stages beside it.
func readGolden(t *testing.T, path string) map[string]goldenPicture {
	t.Helper()
	var entries map[string]map[string]json.RawMessage
	golden.ReadJSON(t, path, &entries)
	pictures := make(map[string]goldenPicture)
	for name, entry := range entries {
		if !strings.HasPrefix(name, "_") {
			pictures[name] = goldenEntry(t, entry)
		}
	}
	return pictures
}

func goldenEntry(t *testing.T, entry map[string]json.RawMessage) goldenPicture {
	t.Helper()
	p := goldenPicture{stages: make(map[string]goldenArray)}
	for key, raw := range entry {
		var dst any
		var stage goldenArray
		switch key {
		case "imread", "imread_bgr8":
			dst = &p.decoded
		case "stages":
			dst = &p.stages
		case "imread_as_rgb_png":
			continue
		default:
			dst = &stage
		}
		if err := json.Unmarshal(raw, dst); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if dst == &stage {
			p.stages[key] = stage
		}
	}
	return p
}

// recipeOf returns the recipe that a stage's name stands for, such as vgg_64_nchw_full.
func recipeOf(stage string) (Recipe, bool) {
	m := regexp.MustCompile(`^(vgg|mobilenet|imagenet_pytorch|tflite_tpu)_(\d+)(_nchw|_nhwc)?(_full)?$`).
		FindStringSubmatch(stage)
	if m == nil {
		return Recipe{}, false
	}
	size, err := strconv.Atoi(m[2])
	if err != nil {
		return Recipe{}, false
	}
	layout := NCHW
	if m[3] == "_nhwc" {
		layout = NHWC
	}
	switch m[1] {
	case "vgg":
		return Vgg(size, layout), true
	case "mobilenet":
		return Mobilenet(size, layout), true
	case "imagenet_pytorch":
		return ImagenetPytorch(size, layout), true
	}
	return TFLiteTPU(), size == 224
}

// checkGolden decodes one picture and runs every recipe that has a golden stage.
func checkGolden(t *testing.T, data []byte, want goldenPicture) {
	t.Helper()
	img, err := Decode(data, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s := want.decoded.Shape; img.H != s[0] || img.W != s[1] {
		t.Fatalf("size %dx%d, want %dx%d", img.W, img.H, s[1], s[0])
	}
	if got := shaBGR(img); got != want.decoded.SHA {
		t.Errorf("decoded pixels: sha256 %s, want %s", got, want.decoded.SHA)
	}
	for name, stage := range want.stages {
		if r, ok := recipeOf(name); ok {
			t.Run(name, func(t *testing.T) { checkStage(t, r, img, data, stage.SHA) })
		}
	}
}

func checkStage(t *testing.T, r Recipe, img *RGB, data []byte, want string) {
	t.Helper()
	dst := make([]float32, r.Len())
	if err := r.Apply(dst, img); err != nil {
		t.Fatal(err)
	}
	if got := shaFloats(dst); got != want {
		t.Errorf("Apply: sha256 %s, want %s", got, want)
	}
	clear(dst)
	if err := r.FromBytes(dst, data, DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := shaFloats(dst); got != want {
		t.Errorf("FromBytes: sha256 %s, want %s", got, want)
	}
}

// shaBGR hashes the pixels in OpenCV's order.
func shaBGR(img *RGB) string {
	bgr := make([]byte, len(img.Pix))
	for i := 0; i < len(bgr); i += channels {
		bgr[i], bgr[i+1], bgr[i+2] = img.Pix[i+2], img.Pix[i+1], img.Pix[i]
	}
	return sha(bgr)
}

func shaFloats(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return sha(b)
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestGoldenPictures(t *testing.T) {
	checkFolder(t, goldenDir(t))
}

// TestSmallPictures runs a few of the golden cases, kept in testdata.
func TestSmallPictures(t *testing.T) {
	checkFolder(t, filepath.Join("testdata", "small"))
}

func checkFolder(t *testing.T, dir string) {
	t.Helper()
	for name, want := range readGolden(t, filepath.Join(dir, "expected.json")) {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, data, want)
		})
	}
}
