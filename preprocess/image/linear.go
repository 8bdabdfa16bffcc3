package image

import "math"

// linearResizer interpolates between neighbouring pixels in the fixed-point arithmetic of OpenCV's INTER_LINEAR for
// 8-bit samples. Weights have 11 bits, rows have 11 additional bits, and half of the low bits are dropped between the
// passes.
type linearResizer struct {
	cols, rows []linearLerp
	rowCache   [2][]int32 // the two source rows that were last interpolated along x
	cachedRows [2]int     // indices of these rows
}

// linearLerp is a destination sample between source samples first and second.
type linearLerp struct {
	first, second int
	w0, w1        int32 // weights in units of 1/2048
}

const lerpOne = 1 << 11

// sampleAlignment maps destination sample d to the source sample at or before it, and the fraction of the distance to
// the next one.
type sampleAlignment func(d, src, dst int) (s int, fraction float32)

// centreAligned aligns the centres of pixels.
func centreAligned(d, src, dst int) (int, float32) {
	f := float32(float64((float64(d)+0.5)*openCVScale(src, dst)) - 0.5) // the inner conversion prevents fusing
	s := math.Floor(float64(f))
	return int(s), f - float32(s)
}

// cornerAligned is the alignment of OpenCV's INTER_AREA for upscaling. Pixels are flat, and only destination pixels
// across a border are mixed.
func cornerAligned(d, src, dst int) (int, float32) {
	s := int(math.Floor(float64(d) * openCVScale(src, dst)))
	f := float32(float64(d+1) - float64(float64(s+1)*(float64(dst)/float64(src))))
	if f <= 0 {
		return s, 0
	}
	return s, f - float32(math.Floor(float64(f)))
}

func (r *linearResizer) resizeWindow(dst, src *RGB, win cropWindow, align sampleAlignment) {
	r.cols = lerpColumns(r.cols[:0], align, src.W, win.fullW, win.x, win.w)
	r.rows = lerpRows(r.rows[:0], align, src.H, win.fullH, win.y, win.h)
	n := channels * win.w
	for i := range r.rowCache {
		r.rowCache[i], r.cachedRows[i] = resizeSlice(r.rowCache[i], n), -1
	}
	for y := range r.rows {
		l := &r.rows[y]
		top := r.cachedRow(src, l.first, l.second)
		bottom := r.cachedRow(src, l.second, l.first)
		mixRows(dst.Pix[n*y:][:n], r.rowCache[top], r.rowCache[bottom], l.w0, l.w1)
	}
}

// cachedRow returns the cache slot that contains source row y. If necessary, it interpolates the row into the slot that
// does not contain row keep.
func (r *linearResizer) cachedRow(src *RGB, y, keep int) int {
	for i, at := range r.cachedRows {
		if at == y {
			return i
		}
	}
	slot := 0
	if r.cachedRows[0] == keep {
		slot = 1
	}
	r.cachedRows[slot] = y
	mixColumns(r.rowCache[slot], src.Pix[channels*src.W*y:][:channels*src.W], r.cols)
	return slot
}

// lerpColumns computes the columns. Outside the picture, only the border column counts.
func lerpColumns(ls []linearLerp, align sampleAlignment, src, dst, lo, n int) []linearLerp {
	for d := lo; d < lo+n; d++ {
		s, f := align(d, src, dst)
		if s < 0 || s >= src-1 {
			s, f = min(max(s, 0), src-1), 0
		}
		ls = append(ls, newLerp(s, min(s+1, src-1), f))
	}
	return ls
}

// lerpRows computes the rows. Outside the picture, the border row counts with both weights.
func lerpRows(ls []linearLerp, align sampleAlignment, src, dst, lo, n int) []linearLerp {
	for d := lo; d < lo+n; d++ {
		s, f := align(d, src, dst)
		ls = append(ls, newLerp(min(max(s, 0), src-1), min(max(s+1, 0), src-1), f))
	}
	return ls
}

func newLerp(first, second int, fraction float32) linearLerp {
	weight := func(f float32) int32 { return int32(math.RoundToEven(float64(f * lerpOne))) }
	return linearLerp{first: first, second: second, w0: weight(1 - fraction), w1: weight(fraction)}
}

func mixColumns(dst []int32, src []uint8, cols []linearLerp) {
	for x := range cols {
		l := &cols[x]
		a, b := src[channels*l.first:][:channels], src[channels*l.second:][:channels]
		out := dst[channels*x:][:channels]
		out[0] = int32(a[0])*l.w0 + int32(b[0])*l.w1
		out[1] = int32(a[1])*l.w0 + int32(b[1])*l.w1
		out[2] = int32(a[2])*l.w0 + int32(b[2])*l.w1
	}
}

func mixRows(dst []uint8, top, bottom []int32, w0, w1 int32) {
	top, bottom = top[:len(dst)], bottom[:len(dst)]
	for i := range dst {
		v := ((w0*(top[i]>>4))>>16 + (w1*(bottom[i]>>4))>>16 + 2) >> 2
		dst[i] = uint8(min(max(v, 0), math.MaxUint8))
	}
}
