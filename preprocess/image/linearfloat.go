package image

import (
	"fmt"
	"math"
)

// LinearFloat32 writes img, scaled to w x h, to dst as interleaved float32 red, green, blue in 0..255: what detection
// models are fed. It is OpenCV's INTER_LINEAR for float32 samples, which differs between builds of OpenCV: it agrees
// within 1e-4 with those that use Intel's IPP, as x86 wheels do, and within 5e-3 with others. dst has length 3*w*h.
func LinearFloat32(dst []float32, img *RGB, w, h int) error {
	if err := img.check(); err != nil {
		return err
	}
	if w <= 0 || h <= 0 || len(dst) != channels*w*h {
		return fmt.Errorf("%w: %d values for %dx%d RGB, want %d", ErrBuffer, len(dst), w, h, channels*w*h)
	}
	r := floatResizer{cols: floatLerps(img.W, w), at: [2]int{-1, -1}}
	for i := range r.row {
		r.row[i] = make([]float32, channels*w)
	}
	for y, l := range floatLerps(img.H, h) {
		top, bottom := r.rowAt(img, l.first, l.second), r.rowAt(img, l.second, l.first)
		out := dst[channels*w*y:][:channels*w]
		for i, v := range r.row[top] {
			out[i] = v + float32((r.row[bottom][i]-v)*l.fraction)
		}
	}
	return nil
}

// floatResizer holds the two source rows last interpolated along x.
type floatResizer struct {
	cols []floatLerp
	row  [2][]float32
	at   [2]int
}

// floatLerp is a destination sample that lies a fraction of the way from source sample first to second.
type floatLerp struct {
	first, second int
	fraction      float32
}

// floatLerps gives the samples of an axis scaled from src to dst, the centres of pixels on each other; outside the picture
// the border sample counts.
func floatLerps(src, dst int) []floatLerp {
	ls := make([]floatLerp, dst)
	scale := float64(src) / float64(dst)
	for d := range ls {
		at := min(max((float64(d)+0.5)*scale-0.5, 0), float64(src-1))
		first := int(math.Floor(at))
		ls[d] = floatLerp{first: first, second: min(first+1, src-1), fraction: float32(at - float64(first))}
	}
	return ls
}

// rowAt returns the slot that holds source row y, interpolating it if need be into the slot that does not hold row keep.
func (r *floatResizer) rowAt(img *RGB, y, keep int) int {
	for i, at := range r.at {
		if at == y {
			return i
		}
	}
	slot := 0
	if r.at[0] == keep {
		slot = 1
	}
	r.at[slot] = y
	row, src := r.row[slot], img.Pix[channels*img.W*y:][:channels*img.W]
	for x, l := range r.cols {
		a, b := src[channels*l.first:][:channels], src[channels*l.second:][:channels]
		for c := range channels {
			v := float32(a[c])
			row[channels*x+c] = v + float32((float32(b[c])-v)*l.fraction)
		}
	}
	return slot
}
