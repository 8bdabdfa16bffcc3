package image

import (
	"bytes"
	"fmt"

	"github.com/plumbline-ml/plumbline/preprocess/image/internal/jpeg"
)

// DefaultMaxPixels is the default of DecodeOptions.MaxPixels: 8192 x 8192 pixels, or 200 MB of RGB. (cv2.imread rejects
// pictures of 2^30 pixels or more.)
const DefaultMaxPixels = 1 << 26

// DecodeOptions contains a limit and callbacks of Decode.
type DecodeOptions struct {
	// Incomplete, if not nil, is called if scans of a progressive JPEG are missing. The pixels then equal those of libjpeg
	// for the existing scans, including its smoothing.
	Incomplete func()
	// Converted, if not nil, is called if a JPEG has grey or four-colour pixels, which are converted to RGB.
	Converted func()
	MaxPixels int // limit of width x height, checked before memory is allocated for pixels; 0: DefaultMaxPixels
}

// Decode decodes a JPEG, PNG or BMP file, recognized by its content. The result does not refer to data. Errors wrap
// ErrEmpty, ErrFormat, ErrUnsupported, ErrDamaged or ErrTooLarge.
func Decode(data []byte, o DecodeOptions) (*RGB, error) {
	img := new(RGB)
	if err := new(pictureDecoder).decodeInto(img, data, o, wholePicture); err != nil {
		return nil, err
	}
	return img, nil
}

// pictureDecoder contains the memory of decoding, for reuse by one goroutine at a time.
type pictureDecoder struct{ jpeg jpeg.Decoder }

// neededRegion returns the region of a w x h picture that the caller needs.
type neededRegion func(w, h int) jpeg.Region

func wholePicture(w, h int) jpeg.Region { return jpeg.Region{X1: w, Y1: h} }

// decodeInto decodes into img's memory if it is large enough. Pixels outside the needed region may be undefined.
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

// checkSize checks the pixel limit.
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
