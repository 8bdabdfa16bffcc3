package exhibit

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/disintegration/imaging"

	"github.com/plumbline-ml/plumbline/sdk"
)

// The colours of drawings over pictures.
var (
	Truth = color.NRGBA{0x22, 0xc5, 0x5e, 0xff} // the expected object
	Found = color.NRGBA{0xef, 0x44, 0x44, 0xff} // the object that the model found
)

// Thumbnail returns a copy of a picture whose longer side is size pixels. It enlarges small pictures by whole factors
// to show the model's pixels.
func Thumbnail(src image.Image, size int) *image.NRGBA {
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	if longer := max(w, h); longer > 0 && longer <= size/2 {
		times := size / longer
		return imaging.Resize(src, w*times, h*times, imaging.NearestNeighbor)
	}
	if w >= h {
		return imaging.Resize(src, size, 0, imaging.Lanczos)
	}
	return imaging.Resize(src, 0, size, imaging.Lanczos)
}

// Outline draws a rectangle two pixels wide. left, top, right and bottom are fractions of the picture's sides.
func Outline(dst *image.NRGBA, left, top, right, bottom float64, c color.NRGBA) {
	b := dst.Bounds()
	at := func(f float64, n int) int { return int(min(max(f, 0), 1)*float64(n-1) + .5) }
	x0, x1, y0, y1 := at(left, b.Dx()), at(right, b.Dx()), at(top, b.Dy()), at(bottom, b.Dy())
	for wide := range 2 {
		for x := x0; x <= x1; x++ {
			dst.SetNRGBA(b.Min.X+x, b.Min.Y+min(y0+wide, y1), c)
			dst.SetNRGBA(b.Min.X+x, b.Min.Y+max(y1-wide, y0), c)
		}
		for y := y0; y <= y1; y++ {
			dst.SetNRGBA(b.Min.X+min(x0+wide, x1), b.Min.Y+y, c)
			dst.SetNRGBA(b.Min.X+max(x1-wide, x0), b.Min.Y+y, c)
		}
	}
}

// SideBySide puts pictures of equal heights side by side, with a gap between them.
func SideBySide(pictures ...*image.NRGBA) *image.NRGBA {
	const gap = 4
	w, h := -gap, 0
	for _, p := range pictures {
		w, h = w+p.Bounds().Dx()+gap, max(h, p.Bounds().Dy())
	}
	all := imaging.New(max(w, 1), max(h, 1), color.White)
	x := 0
	for _, p := range pictures {
		all = imaging.Paste(all, p, image.Pt(x, 0))
		x += p.Bounds().Dx() + gap
	}
	return all
}

// PNG encodes a picture. It reduces a picture that would exceed sdk.MaxExhibitBytes.
func PNG(p image.Image) ([]byte, error) {
	encoder := png.Encoder{CompressionLevel: png.DefaultCompression}
	for p.Bounds().Dx() > 1 {
		var b bytes.Buffer
		if err := encoder.Encode(&b, p); err != nil {
			return nil, err
		}
		if b.Len() <= sdk.MaxExhibitBytes {
			return b.Bytes(), nil
		}
		p = imaging.Resize(p, p.Bounds().Dx()*4/5, 0, imaging.Lanczos)
	}
	return nil, fmt.Errorf("a picture of %v cannot be encoded", p.Bounds())
}
