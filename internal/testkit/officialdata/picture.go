package officialdata

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
)

// Colours of pictures.
var (
	red   = color.RGBA{R: 255, A: 255}
	green = color.RGBA{G: 255, A: 255}
	blue  = color.RGBA{B: 255, A: 255}
)

// encoded returns a JPEG of one colour.
func encoded(c color.Color, width, height int) ([]byte, error) {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		picture.Set(i%width, i/width, c)
	}
	return encode(picture)
}

// encodedGrey returns a JPEG with one component.
func encodedGrey(value uint8, width, height int) ([]byte, error) {
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = value
	}
	return encode(picture)
}

func encode(picture image.Image) ([]byte, error) {
	var file bytes.Buffer
	err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: 95})
	return file.Bytes(), err
}

// turned returns a JPEG with an EXIF tag that rotates it by 90 degrees.
func turned(file []byte) []byte {
	const exif = "Exif\x00\x00" + "II*\x00\x08\x00\x00\x00" + // TIFF's header
		"\x01\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00" + "\x00\x00\x00\x00" // one tag: orientation 6
	segment := append([]byte{0xff, 0xe1, 0, byte(2 + len(exif))}, exif...)
	return slices.Insert(slices.Clone(file), 2, segment...) // after the start of the image
}
