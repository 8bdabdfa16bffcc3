package draw

import (
	"bytes"
	"image"
	"image/jpeg"
)

// JPEG encodes the picture as a baseline JPEG with colour at half resolution and a quality of 1 to 100. The bytes
// depend on the encoder of the Go release.
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
		panic(err) // a Buffer accepts all writes, and canvases are below JPEG's size limit
	}
	return b.Bytes()
}
