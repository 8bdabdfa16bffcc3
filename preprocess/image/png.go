package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
)

// decodePNG decodes a PNG like cv2: it drops alpha without blending and keeps only the high byte of 16-bit samples.
func decodePNG(img *RGB, data []byte, o DecodeOptions) error {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return pngError(err)
	}
	if err := o.checkSize(c.Width, c.Height); err != nil {
		return err
	}
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return pngError(err)
	}
	if err := convertImage(img, src); err != nil {
		return err
	}
	*img = *makeUpright(img, pngOrientation(data))
	return nil
}

// pngOrientation reads the orientation from the eXIf chunk of a PNG, which may be anywhere in the file.
func pngOrientation(data []byte) exifRotation {
	const head, crc = 8, 4 // bytes of length and type before a chunk's data, and of the checksum after it
	for at := len(pngMagic); at+head <= len(data); {
		body := data[at+head:]
		n := uint64(binary.BigEndian.Uint32(data[at:]))
		if n+crc > uint64(len(body)) {
			break
		}
		if string(data[at+4:at+head]) == "eXIf" {
			return tiffOrientation(body[:n])
		}
		at += head + int(n) + crc
	}
	return upright
}

func pngError(err error) error {
	var unsupported png.UnsupportedError
	if errors.As(err, &unsupported) {
		return fmt.Errorf("%w: %w; save the picture as an 8-bit RGB PNG", ErrUnsupported, err)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: PNG: %w; fetch the file again", ErrDamaged, err)
}

// convertImage converts an 8- or 16-bit picture of the standard library to RGB.
func convertImage(img *RGB, src image.Image) error {
	b := src.Bounds()
	img.setSize(b.Dx(), b.Dy())
	row, err := rowReader(src)
	if err != nil {
		return err
	}
	for y := range img.H {
		row(img.Pix[channels*img.W*y:][:channels*img.W], y)
	}
	return nil
}

// rowReader returns a function that converts row y of src.
func rowReader(src image.Image) (func(dst []uint8, y int), error) {
	switch s := src.(type) {
	case *image.Gray:
		return func(dst []uint8, y int) { gatherPixels(dst, s.Pix[y*s.Stride:], 1, 0, 0, 0) }, nil
	case *image.Gray16:
		return func(dst []uint8, y int) { gatherPixels(dst, s.Pix[y*s.Stride:], 2, 0, 0, 0) }, nil
	case *image.NRGBA:
		return func(dst []uint8, y int) { gatherPixels(dst, s.Pix[y*s.Stride:], 4, 0, 1, 2) }, nil
	case *image.RGBA: // opaque, because the standard library's readers use this type only for files without alpha
		return func(dst []uint8, y int) { gatherPixels(dst, s.Pix[y*s.Stride:], 4, 0, 1, 2) }, nil
	case *image.NRGBA64:
		return func(dst []uint8, y int) { gatherPixels(dst, s.Pix[y*s.Stride:], 8, 0, 2, 4) }, nil
	case *image.RGBA64:
		return func(dst []uint8, y int) { gatherPixels(dst, s.Pix[y*s.Stride:], 8, 0, 2, 4) }, nil
	case *image.Paletted:
		p := toRGBPalette(s.Palette)
		return func(dst []uint8, y int) { lookUpPalette(dst, s.Pix[y*s.Stride:], &p) }, nil
	}
	return nil, fmt.Errorf("%w: pixels of type %T", ErrUnsupported, src)
}

// gatherPixels converts pixels that are step bytes apart in src. r, g and b are the offsets of the channels.
func gatherPixels(dst, src []uint8, step, r, g, b int) {
	for i, at := 0, 0; i+2 < len(dst); i, at = i+channels, at+step {
		dst[i], dst[i+1], dst[i+2] = src[at+r], src[at+g], src[at+b]
	}
}

func lookUpPalette(dst, src []uint8, p *[256][channels]uint8) {
	for i := 0; i+2 < len(dst); i += channels {
		c := &p[src[i/channels]]
		dst[i], dst[i+1], dst[i+2] = c[0], c[1], c[2]
	}
}

// toRGBPalette converts a palette and drops its alpha.
func toRGBPalette(p color.Palette) (t [256][channels]uint8) {
	for i, c := range p[:min(len(p), len(t))] {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		t[i] = [channels]uint8{n.R, n.G, n.B}
	}
	return t
}
