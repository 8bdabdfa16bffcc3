package image

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// letterboxCase is a picture drawn by a formula, and what became of it in each form.
type letterboxCase struct {
	Width, Height int
	Kind          string
	Seed          int
	SHA256        string `json:"picture_sha256"`
	Forms         map[string]struct {
		Height, Width int
		Resized       [2]int
		Pad           [4]int
		Tensor        string `json:"tensor_sha256"`
	}
}

var letterboxes = map[string]Letterbox{
	"fixed640": {Size: 640}, "fixed320": {Size: 320}, "fixed96": {Size: 96}, "rect640": {Size: 640, Rect: true},
}

func TestGoldenLetterbox(t *testing.T) {
	golden.Each(t, "vision/yolo/pictures.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[letterboxCase](t, path) {
			c.check(t)
		}
	})
}

func (c letterboxCase) check(t *testing.T) {
	t.Helper()
	img := c.draw()
	if sum(img.Pix) != c.SHA256 {
		t.Fatalf("%s of %d x %d is not drawn as it should be", c.Kind, c.Width, c.Height)
	}
	for name, want := range c.Forms {
		l, ok := letterboxes[name]
		if !ok {
			t.Errorf("no form %s", name)
			continue
		}
		p := l.Place(c.Width, c.Height)
		if p != (Placement{want.Resized[0], want.Resized[1], want.Pad[0], want.Pad[1], want.Pad[2], want.Pad[3]}) {
			t.Errorf("%s of %d x %d: %+v, want %+v", name, c.Width, c.Height, p, want)
			continue
		}
		tensor := make([]float32, 3*want.Height*want.Width)
		if err := l.Apply(tensor, img); err != nil || sum(bytesOf(tensor)) != want.Tensor {
			t.Errorf("%s of %s %d x %d: another tensor, %v", name, c.Kind, c.Width, c.Height, err)
		}
	}
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

func bytesOf(tensor []float32) (data []byte) {
	for _, v := range tensor {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

func (c letterboxCase) draw() *RGB {
	img := &RGB{W: c.Width, H: c.Height}
	for y := range c.Height {
		for x := range c.Width {
			for channel := range 3 {
				img.Pix = append(img.Pix, c.level(x, y, channel))
			}
		}
	}
	return img
}

func (c letterboxCase) level(x, y, channel int) uint8 {
	switch c.Kind {
	case "noise":
		h := uint32(x*374761393 + y*668265263 + channel*2246822519 + c.Seed*3266489917)
		h = (h ^ h>>13) * 1274126177
		return uint8(h >> 24)
	case "grad":
		return uint8((3*x + 5*y + 40*channel + x*y/16 + c.Seed) % 256)
	case "blocks":
		if (x/7+y/5+channel+c.Seed)%2 == 1 {
			return 255
		}
		return 20
	}
	triangle := func(u int) int { return min(u%510, 510-u%510) }
	return uint8((triangle(2*x+31*channel+c.Seed) + triangle(3*y+17*channel)) / 2)
}

func TestLetterboxNeedsRoom(t *testing.T) {
	img := &RGB{W: 2, H: 2, Pix: make([]uint8, 12)}
	if err := (Letterbox{Size: 32}).Apply(make([]float32, 5), img); err == nil {
		t.Error("five numbers are enough for a picture")
	}
	if p := (Letterbox{Size: 640}).Place(2000, 1); p.W != 640 || p.H != 1 || p.Height() != 640 {
		t.Errorf("a line becomes %+v", p)
	}
}

func TestLetterboxFit(t *testing.T) {
	data, err := os.ReadFile("testdata/photo.jpg")
	if err != nil {
		t.Fatal(err)
	}
	img, err := Decode(data, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Letterbox{{Size: 320}, NewLetterbox(320, true)} {
		place := l.Place(img.W, img.H)
		want := make([]float32, 3*place.Height()*place.Width())
		if err := l.Apply(want, img); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got := make([]float32, l.Len())
			fit, err := l.FitBytes(got, data, DecodeOptions{})
			if err != nil || fit != (Letterboxed{img.W, img.H, place}) || !slices.Equal(got[:len(want)], want) {
				t.Errorf("%+v, %v; want the numbers of Apply, %+v", fit, err, place)
			}
		}
		if err := l.FromBytes(make([]float32, 9), data, DecodeOptions{}); !errors.Is(err, ErrBuffer) {
			t.Errorf("%v, want %v", err, ErrBuffer)
		}
		if err := l.FromBytes(make([]float32, l.Len()), []byte("text"), DecodeOptions{}); !errors.Is(err, ErrFormat) {
			t.Errorf("%v, want %v", err, ErrFormat)
		}
	}
}
