package oracles

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"

	picture "github.com/plumbline-ml/plumbline/preprocess/image"
)

// TestPillowBilinearIsImagings resizes pictures by both: samples differ by one level at most. imaging computes in
// floating point, Pillow in numbers of 22 bits. Pictures that grow along both axes are not here: a few samples of them
// differ by two.
func TestPillowBilinearIsImagings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	differ, all := 0, 0
	for _, size := range [][4]int{
		{500, 375, 224, 224}, {375, 500, 256, 341}, {31, 17, 5, 3}, {300, 200, 300, 100}, {64, 48, 224, 48}, {64, 48, 64, 99},
	} {
		src := noise(r, size[0], size[1])
		got, err := picture.Resize(src, size[2], size[3], picture.PillowBilinear)
		if err != nil {
			t.Fatal(err)
		}
		want := imaging.Resize(opaque(src), size[2], size[3], imaging.Linear)
		for i, g := range got.Pix {
			w := want.Pix[4*(i/3)+i%3]
			all++
			if g != w {
				differ++
			}
			if max(g, w)-min(g, w) > 1 {
				t.Fatalf("%v: sample %d is %d, want %d", size, i, g, w)
			}
		}
	}
	if differ > all/100 {
		t.Errorf("%d of %d samples differ", differ, all)
	}
	t.Logf("%d of %d samples differ, by 1", differ, all)
}

// noise has a random level in every sample, which no filter forgives.
func noise(r *rand.Rand, w, h int) *picture.RGB {
	p := &picture.RGB{W: w, H: h, Pix: make([]uint8, 3*w*h)}
	for i := range p.Pix {
		p.Pix[i] = uint8(r.Uint32())
	}
	return p
}

func opaque(p *picture.RGB) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, p.W, p.H))
	for i := range p.W * p.H {
		copy(img.Pix[4*i:], p.Pix[3*i:3*i+3])
		img.Pix[4*i+3] = 255
	}
	return img
}
