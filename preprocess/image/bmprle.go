package image

import "fmt"

// decodeRuns decodes the run-length encodings of 4 and 8 bits. They consist of pairs of a count and a colour (two
// alternating colours for 4 bits), and of escapes. Skipped pixels get colour 0.
func (f *bmpFile) decodeRuns(img *RGB) error {
	if f.pixelOffset < 0 || f.pixelOffset > len(f.data) {
		return f.truncatedError()
	}
	img.setSize(f.w, f.h)
	for i := range f.w * f.h {
		copy(img.Pix[channels*i:][:channels], f.palette[0][:])
	}
	r := bmpRunDecoder{f: f, img: img, src: f.data[f.pixelOffset:]}
	for r.y < f.h {
		done, err := r.decodeStep()
		if done || err != nil {
			return err
		}
	}
	return nil
}

// bmpRunDecoder is a position in run-length encoded pixels and in the picture.
type bmpRunDecoder struct {
	f    *bmpFile
	img  *RGB
	src  []uint8
	x, y int
}

// Escape codes, which follow a count of 0. Larger values are the number of unencoded pixels that follow.
const (
	bmpEndOfLine = iota
	bmpEndOfBitmap
	bmpDelta
	bmpLiteral
)

// decodeStep decodes a pair or an escape. done reports the end of the bitmap.
func (r *bmpRunDecoder) decodeStep() (done bool, err error) {
	b, err := r.takeBytes(2)
	if err != nil {
		return false, err
	}
	if b[0] > 0 {
		return false, r.storePixels(int(b[0]), func(i int) uint8 { return r.indexAt(b[1:], i&1) })
	}
	switch b[1] {
	case bmpEndOfLine:
		r.x, r.y = 0, r.y+1
	case bmpEndOfBitmap:
		return true, nil
	case bmpDelta:
		d, err := r.takeBytes(2)
		if err != nil {
			return false, err
		}
		r.x, r.y = r.x+int(d[0]), r.y+int(d[1])
	default:
		return false, r.storeLiteral(int(b[1]))
	}
	return false, nil
}

// storeLiteral stores n unencoded pixels, which are padded to a multiple of two bytes.
func (r *bmpRunDecoder) storeLiteral(n int) error {
	b, err := r.takeBytes((n*r.f.bits + 15) / 16 * 2)
	if err != nil {
		return err
	}
	return r.storePixels(n, func(i int) uint8 { return r.indexAt(b, i) })
}

// indexAt returns the i-th colour index packed in b. In an 8-bit run, all indices are b[0].
func (r *bmpRunDecoder) indexAt(b []uint8, i int) uint8 {
	switch {
	case r.f.bits == 4 && i%2 == 0:
		return b[i/2] >> 4
	case r.f.bits == 4:
		return b[i/2] & 15
	}
	return b[min(i, len(b)-1)]
}

func (r *bmpRunDecoder) takeBytes(n int) ([]uint8, error) {
	if n > len(r.src) {
		return nil, r.f.truncatedError()
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b, nil
}

// storePixels stores n pixels with the colours of the given indices.
func (r *bmpRunDecoder) storePixels(n int, index func(i int) uint8) error {
	if r.x+n > r.f.w {
		return fmt.Errorf("%w: BMP with %d pixels in row %d, want %d", ErrDamaged, r.x+n, r.y, r.f.w)
	}
	row := r.f.pictureRow(r.img, r.y)
	for i := range n {
		copy(row[channels*(r.x+i):][:channels], r.f.palette[index(i)][:])
	}
	r.x += n
	return nil
}
