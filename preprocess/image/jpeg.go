package image

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/preprocess/image/internal/jpeg"
)

// decodeJPEG decodes a JPEG to the pixels of libjpeg-turbo and rotates it upright. For upright files it decodes only
// the needed region, but checks the whole file.
func (d *pictureDecoder) decodeJPEG(img *RGB, data []byte, o DecodeOptions, need neededRegion) error {
	h, err := d.jpeg.Open(data)
	if err != nil {
		return jpegError(err)
	}
	if err := o.checkSize(h.W, h.H); err != nil {
		return err
	}
	if err := d.jpeg.CheckLength(); err != nil {
		return jpegError(err)
	}
	turn := exifOrientation(h.APP1)
	if turn != upright {
		need = wholePicture
	}
	img.setSize(h.W, h.H)
	if err := d.jpeg.Decode(img.Pix, need(h.W, h.H)); err != nil {
		return jpegError(err)
	}
	if o.Incomplete != nil && d.jpeg.IsIncomplete() {
		o.Incomplete()
	}
	if o.Converted != nil && h.Components != channels {
		o.Converted()
	}
	if turn != upright {
		*img = *makeUpright(img, turn)
	}
	return nil
}

func jpegError(err error) error {
	if errors.Is(err, jpeg.ErrUnsupported) {
		return fmt.Errorf("%w: %w; save the picture as baseline JPEG or PNG", ErrUnsupported, err)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
