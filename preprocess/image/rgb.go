package image

import "fmt"

// channels is the number of values per pixel: red, green, blue.
const channels = 3

// RGB is a picture of 8-bit pixels. Rows are stored from top to bottom.
type RGB struct {
	W, H int
	Pix  []uint8 // interleaved red, green, blue; len 3*W*H, row stride 3*W
}

// checkFields returns an error if the fields of a picture are contradictory.
func (p *RGB) checkFields() error {
	switch {
	case p == nil:
		return fmt.Errorf("%w: nil picture", ErrBadPicture)
	case p.W <= 0 || p.H <= 0:
		return fmt.Errorf("%w: size %dx%d, want at least 1x1", ErrBadPicture, p.W, p.H)
	case len(p.Pix)/channels/p.W != p.H || len(p.Pix)%(channels*p.W) != 0:
		return fmt.Errorf("%w: %d bytes of pixels for %dx%d RGB, want %d", ErrBadPicture, len(p.Pix), p.W,
			p.H, channels*p.W*p.H)
	}
	return nil
}

// setSize sets the picture's size. It reuses the memory if it is large enough. The pixels are undefined.
func (p *RGB) setSize(w, h int) {
	n := channels * w * h
	if cap(p.Pix) < n {
		p.Pix = make([]uint8, n)
	}
	p.W, p.H, p.Pix = w, h, p.Pix[:n]
}
