package image

import (
	"errors"
	"math"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenLevels compares every level of every channel, to the last bit.
func TestGoldenLevels(t *testing.T) {
	golden.Each(t, "vision/pointpainting/image_levels.json", func(t *testing.T, path string) {
		var c struct{ Bits [channels][256]uint32 }
		golden.ReadJSON(t, path, &c)
		img := &RGB{W: 16, H: 16}
		for v := range 256 {
			img.Pix = append(img.Pix, uint8(v), uint8(v), uint8(v))
		}
		got := make([]float32, channels*256)
		if err := NormaliseImagenet(got, img); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if bits := math.Float32bits(v); bits != c.Bits[i/256][i%256] {
				t.Errorf("channel %d, level %d: bits %#x, want %#x", i/256, i%256, bits, c.Bits[i/256][i%256])
			}
		}
		if err := NormaliseImagenet(got[1:], img); !errors.Is(err, ErrBuffer) {
			t.Error(err)
		}
		if err := NormaliseImagenet(got, &RGB{W: 16, H: 16}); err == nil {
			t.Error("a picture without pixels was taken")
		}
	})
}
