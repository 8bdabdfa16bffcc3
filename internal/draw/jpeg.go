package draw

import (
	"bytes"
	"image"
	"image/jpeg"
)

// JPEG encodes the picture as a baseline JPEG of colour at half resolution, at a quality of 1 to 100. Its bytes are
// those of the Go release's encoder.
func (c *Canvas) JPEG(quality int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, c.Width, c.Height))
	for y := range c.Height {
		for x, row := 0, c.row(y); x < c.Width; x++ {
			p := img.Pix[y*img.Stride+4*x:]
			p[0], p[1], p[2], p[3] = row[3*x], row[3*x+1], row[3*x+2], 0xff
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		panic(err) // a Buffer takes everything, and no canvas is as large as JPEG's limit
	}
	return b.Bytes()
}
