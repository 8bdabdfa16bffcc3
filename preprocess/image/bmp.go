package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/image/bmp"
)

// decodeBMP decodes an uncompressed BMP of 1 to 8 (palette), 24 or 32 bits per pixel.
func decodeBMP(img *RGB, data []byte, o DecodeOptions) error {
	c, err := bmp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return bmpError(err)
	}
	if err := o.checkSize(c.Width, c.Height); err != nil {
		return err
	}
	src, err := bmp.Decode(bytes.NewReader(data))
	if err != nil {
		return bmpError(err)
	}
	return convert(img, src)
}

func bmpError(err error) error {
	switch {
	case errors.Is(err, bmp.ErrUnsupported):
		return fmt.Errorf("%w: %w (uncompressed 1, 2, 4, 8, 24 and 32 bits are); save the picture as PNG", ErrUnsupported, err)
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: BMP: %w", ErrDamaged, err)
}
