package image

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// bmpCompression is the encoding of a BMP's pixels (BITMAPINFOHEADER, biCompression).
type bmpCompression uint32

const (
	bmpPlain bmpCompression = iota
	bmpRLE8
	bmpRLE4
	bmpFields // channel masks follow the header
)

// Sizes of BMP structures in bytes.
const (
	bmpFileHeader = 14
	bmpCoreHeader = 12 // OS/2's header
	bmpInfoHeader = 40 // Windows' header, whose fields are the beginning of several others
)

// Masks of red, green and blue.
var (
	bmpMasks555 = [channels]uint32{0x7c00, 0x03e0, 0x001f}
	bmpMasks565 = [channels]uint32{0xf800, 0x07e0, 0x001f}
	bmpMasks888 = [channels]uint32{0xff0000, 0x00ff00, 0x0000ff}
)

// bmpFile is a BMP file with the values of its headers.
type bmpFile struct {
	data        []byte
	w, h        int
	topDown     bool
	bits        int // per pixel
	compression bmpCompression
	pixelOffset int // offset of the pixels
	palette     [256][channels]uint8
	masks       [channels]uint32 // of red, green and blue in pixels of 16 or 32 bits
}

// decodeBMP decodes a BMP with 1, 4 or 8 bits (palette), 16, 24 or 32 bits per pixel, uncompressed or run-length
// encoded.
func decodeBMP(img *RGB, data []byte, o DecodeOptions) error {
	f := bmpFile{data: data}
	if err := f.readHeader(); err != nil {
		return err
	}
	if err := o.checkSize(f.w, f.h); err != nil {
		return err
	}
	if f.compression == bmpRLE8 || f.compression == bmpRLE4 {
		return f.decodeRuns(img)
	}
	return f.decodeRows(img)
}

// readHeader reads the file header, the info or core header, and the palette.
func (f *bmpFile) readHeader() error {
	if len(f.data) < bmpFileHeader+bmpCoreHeader {
		return f.truncatedError()
	}
	le := binary.LittleEndian
	f.pixelOffset = int(le.Uint32(f.data[10:]))
	size := int(le.Uint32(f.data[bmpFileHeader:]))
	h := f.data[bmpFileHeader:]
	switch {
	case size > len(h):
		return f.truncatedError()
	case size == bmpCoreHeader:
		f.w, f.h, f.bits = int(le.Uint16(h[4:])), int(le.Uint16(h[6:])), int(le.Uint16(h[10:]))
		return f.readPalette(h[size:], 3, 0)
	case size < bmpInfoHeader:
		return fmt.Errorf("%w: BMP header of %d bytes, want %d, or %d and more", ErrUnsupported, size,
			bmpCoreHeader, bmpInfoHeader)
	}
	f.w, f.h, f.bits = int(int32(le.Uint32(h[4:]))), int(int32(le.Uint32(h[8:]))), int(le.Uint16(h[14:]))
	if f.h < 0 {
		f.h, f.topDown = -f.h, true
	}
	f.compression = bmpCompression(le.Uint32(h[16:]))
	if f.compression == bmpFields {
		return f.readMasks(h[bmpInfoHeader:], size)
	}
	return f.readPalette(h[size:], 4, int(le.Uint32(h[32:])))
}

// readPalette checks the encoding. It reads the palette of n entries (0 means all), or sets the masks for 16 and 32
// bits.
func (f *bmpFile) readPalette(b []byte, entry, n int) error {
	type coding struct {
		bits        int
		compression bmpCompression
	}
	switch (coding{f.bits, f.compression}) {
	case coding{16, bmpPlain}:
		f.masks = bmpMasks555
	case coding{32, bmpPlain}:
		f.masks = bmpMasks888
	case coding{24, bmpPlain}:
	case coding{1, bmpPlain}, coding{4, bmpPlain}, coding{8, bmpPlain}, coding{4, bmpRLE4}, coding{8, bmpRLE8}:
		return f.readColours(b, entry, n)
	default:
		return fmt.Errorf("%w: BMP of %d bits with compression %d; save the picture as PNG", ErrUnsupported,
			f.bits, f.compression)
	}
	return nil
}

// readColours reads n palette entries of entry bytes each: blue, green and red.
func (f *bmpFile) readColours(b []byte, entry, n int) error {
	if n <= 0 || n > 1<<f.bits {
		n = 1 << f.bits
	}
	if len(b) < n*entry {
		return f.truncatedError()
	}
	for i := range n {
		f.palette[i] = [channels]uint8{b[entry*i+2], b[entry*i+1], b[entry*i]}
	}
	return nil
}

// readMasks reads the channel masks after or within a header of size bytes. For 32 bits, OpenCV ignores masks after a
// short header.
func (f *bmpFile) readMasks(b []byte, size int) error {
	const withMasks = 56 // size of the shortest header that contains masks for four channels
	switch {
	case f.bits != 16 && f.bits != 32:
		return fmt.Errorf("%w: BMP of %d bits with channel masks, want 16 or 32", ErrUnsupported, f.bits)
	case f.bits == 32 && size < withMasks:
		f.masks = bmpMasks888
		return nil
	case len(b) < 4*channels:
		return f.truncatedError()
	}
	for c := range f.masks {
		f.masks[c] = binary.LittleEndian.Uint32(b[4*c:])
		if m := f.masks[c]; f.bits == 32 && m != 0xff<<(max(bits.Len32(m), 8)-8) {
			return fmt.Errorf("%w: BMP with channel mask %#x of 32 bits, want 8 of them in a row; save the picture as PNG",
				ErrUnsupported, m)
		}
	}
	if f.bits == 16 && f.masks != bmpMasks555 && f.masks != bmpMasks565 {
		return fmt.Errorf("%w: BMP with channel masks %#x of 16 bits; save the picture as PNG", ErrUnsupported, f.masks)
	}
	return nil
}

func (f *bmpFile) truncatedError() error {
	return fmt.Errorf("%w: BMP that ends after %d bytes; fetch the file again", ErrDamaged, len(f.data))
}

// decodeRows decodes uncompressed rows, which are padded to multiples of four bytes.
func (f *bmpFile) decodeRows(img *RGB) error {
	stride := (f.w*f.bits + 31) / 32 * 4
	if f.pixelOffset < 0 || f.pixelOffset > len(f.data) || stride*f.h > len(f.data)-f.pixelOffset {
		return f.truncatedError()
	}
	img.setSize(f.w, f.h)
	for y := range f.h {
		f.decodeRow(f.pictureRow(img, y), f.data[f.pixelOffset+stride*y:][:stride])
	}
	return nil
}

// pictureRow returns the picture's row for stored row y.
func (f *bmpFile) pictureRow(img *RGB, y int) []uint8 {
	if !f.topDown {
		y = f.h - 1 - y
	}
	return img.Pix[channels*f.w*y:][:channels*f.w]
}

func (f *bmpFile) decodeRow(dst, src []uint8) {
	switch f.bits {
	case 24:
		gatherPixels(dst, src, 3, 2, 1, 0)
	case 16:
		for x := range f.w {
			f.unmaskPixel(dst[channels*x:], uint32(binary.LittleEndian.Uint16(src[2*x:])))
		}
	case 32:
		for x := range f.w {
			f.unmaskPixel(dst[channels*x:], binary.LittleEndian.Uint32(src[4*x:]))
		}
	default:
		for x := range f.w {
			at := x * f.bits
			index := src[at/8] >> (8 - f.bits - at%8) & (1<<f.bits - 1)
			copy(dst[channels*x:][:channels], f.palette[index][:])
		}
	}
}

// unmaskPixel extracts a pixel's channels and scales them to 8 bits by shifting.
func (f *bmpFile) unmaskPixel(dst []uint8, v uint32) {
	for c, m := range f.masks {
		top := bits.Len32(m)
		field := v & m
		if top >= 8 {
			dst[c] = uint8(field >> (top - 8))
		} else {
			dst[c] = uint8(field << (8 - top))
		}
	}
}
