package image

import (
	"bytes"
	"fmt"

	"github.com/plumbline-ml/plumbline/preprocess/image/internal/jpeg"
)

// DefaultMaxPixels is the pixel limit where DecodeOptions gives none: 8192 x 8192, 200 MB of RGB.
// (cv2.imread refuses from 2^30 pixels.)
const DefaultMaxPixels = 1 << 26

// DecodeOptions limits the pictures that Decode accepts.
type DecodeOptions struct {
	// Incomplete, if not nil, is called where scans of a progressive JPEG are missing: the pixels are then what libjpeg
	// makes of those that are there, smoothed where it smooths.
	Incomplete func()
	// Converted, if not nil, is called where a JPEG has grey or four-colour pixels, which become RGB.
	Converted func()
	MaxPixels int // largest width x height, read from the header before any pixel memory is taken; 0: DefaultMaxPixels
}

// Decode decodes a JPEG, PNG or BMP file, told apart by their contents. The result does not refer to data.
// Errors are, by errors.Is, ErrEmpty, ErrFormat, ErrUnsupported, ErrDamaged or ErrTooLarge.
func Decode(data []byte, o DecodeOptions) (*RGB, error) {
	img := new(RGB)
	if err := new(pictureDecoder).decodeInto(img, data, o, wholePicture); err != nil {
		return nil, err
	}
	return img, nil
}

// pictureDecoder holds what decoding needs besides the pixels, for reuse by one goroutine at a time.
type pictureDecoder struct{ jpeg jpeg.Decoder }

// neededRegion returns the region that is needed of a picture of w x h pixels.
type neededRegion func(w, h int) jpeg.Region

func wholePicture(w, h int) jpeg.Region { return jpeg.Region{X1: w, Y1: h} }

// decodeInto decodes into img's memory where that is large enough. Pixels outside the needed part may be undefined.
func (d *pictureDecoder) decodeInto(img *RGB, data []byte, o DecodeOptions, need neededRegion) error {
	switch {
	case len(data) == 0:
		return fmt.Errorf("%w: 0 bytes, want a JPEG, PNG or BMP file", ErrEmpty)
	case bytes.HasPrefix(data, jpegMagic):
		return d.decodeJPEG(img, data, o, need)
	case bytes.HasPrefix(data, pngMagic):
		return decodePNG(img, data, o)
	case bytes.HasPrefix(data, bmpMagic):
		return decodeBMP(img, data, o)
	}
	return fmt.Errorf("%w: it begins with % x; convert the file, or check that the download is complete", ErrFormat,
		data[:min(len(data), 8)])
}

var (
	jpegMagic = []byte{0xff, 0xd8, 0xff}
	pngMagic  = []byte("\x89PNG\r\n\x1a\n")
	bmpMagic  = []byte("BM")
)

// checkSize applies the pixel limit.
func (o DecodeOptions) checkSize(w, h int) error {
	limit := o.MaxPixels
	if limit <= 0 {
		limit = DefaultMaxPixels
	}
	switch {
	case w <= 0 || h <= 0:
		return fmt.Errorf("%w: the header gives a size of %dx%d, want at least 1x1", ErrDamaged, w, h)
	case w > limit/h:
		return fmt.Errorf("%w: %dx%d is %d pixels, the limit is %d; scale the picture down or raise DecodeOptions.MaxPixels",
			ErrTooLarge, w, h, int64(w)*int64(h), limit)
	}
	return nil
}
