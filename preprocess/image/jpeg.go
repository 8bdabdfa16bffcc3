package image

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/preprocess/image/internal/jpeg"
)

// decodeJPEG decodes a JPEG to the pixels of libjpeg-turbo and turns it upright.
func decodeJPEG(img *RGB, data []byte, o DecodeOptions) error {
	var d jpeg.Decoder
	h, err := d.Open(data)
	if err != nil {
		return jpegError(err)
	}
	if err := o.checkSize(h.W, h.H); err != nil {
		return err
	}
	img.resize(h.W, h.H)
	if err := d.Decode(img.Pix, jpeg.Region{X1: h.W, Y1: h.H}); err != nil {
		return jpegError(err)
	}
	*img = *orient(img, tiffOrientation(h.Exif))
	return nil
}

func jpegError(err error) error {
	if errors.Is(err, jpeg.ErrUnsupported) {
		return fmt.Errorf("%w: %w; save the picture as baseline JPEG or PNG", ErrUnsupported, err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
