package image

import (
	"bytes"
	"fmt"
	"image/jpeg"
)

func decodeJPEG(img *RGB, data []byte, o DecodeOptions) error {
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: JPEG: %w", ErrDamaged, err)
	}
	if err := o.checkSize(c.Width, c.Height); err != nil {
		return err
	}
	src, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w: JPEG: %w", ErrDamaged, err)
	}
	b := src.Bounds()
	img.resize(b.Dx(), b.Dy())
	for y := range img.H {
		for x := range img.W {
			r, g, bb, _ := src.At(x, y).RGBA()
			copy(img.Pix[3*(y*img.W+x):], []uint8{uint8(r >> 8), uint8(g >> 8), uint8(bb >> 8)})
		}
	}
	return nil
}
