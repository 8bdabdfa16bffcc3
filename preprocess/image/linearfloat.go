package image

import (
	"fmt"
	"math"
)

// LinearFloat32 writes img, scaled to w x h, to dst as interleaved float32 red, green and blue in 0..255, which is the
// input of detection models. It computes OpenCV's INTER_LINEAR for float32 samples, which differs between builds of
// OpenCV. It agrees within 1e-4 with builds that use Intel's IPP, such as x86 wheels, and within 5e-3 with others. dst
// must have length 3*w*h.
func LinearFloat32(dst []float32, img *RGB, w, h int) error {
	if err := img.checkFields(); err != nil {
		return err
	}
	if w <= 0 || h <= 0 || len(dst) != channels*w*h {
		return fmt.Errorf("%w: %d values for %dx%d RGB, want %d", ErrBuffer, len(dst), w, h, channels*w*h)
	}
	r := floatResizer{values: rawValues(), layout: NHWC}
	r.resizeRows(img, w, h, func(y int, l rowBetween) { l.writeFloats(dst[channels*w*y:][:channels*w]) })
	return nil
}

// channelValues maps the samples of each channel to the values to interpolate.
type channelValues [channels][256]float32

// rawValues returns the identity mapping.
func rawValues() *channelValues {
	return affineValues(func(_ int, v float32) float32 { return v })
}

func affineValues(value func(c int, v float32) float32) *channelValues {
	m := new(channelValues)
	for c := range m {
		for v := range m[c] {
			m[c][v] = value(c, float32(v))
		}
	}
	return m
}

// floatResizer computes OpenCV's INTER_LINEAR for float32 samples. It maps values before interpolation; because the
// maps are affine, this is equivalent to mapping afterwards, but fewer values are mapped. It reuses its memory between
// pictures.
type floatResizer struct {
	values         *channelValues
	layout         Layout
	torchPositions bool // compute positions like PyTorch, in float32

	cols, rows []floatLerp
	sourceLine [][channels]float32 // a source row with its last pixel repeated
	rowCache   [2][]float32        // the two source rows that were last interpolated along x
	cachedRows [2]int              // indices of these rows
}

// rowBetween is a row between two rows. fraction is its relative distance from top towards bottom.
type rowBetween struct {
	top, bottom []float32
	fraction    float32
}

// resizeRows calls emit with each row of img scaled to w x h. A row has 3*w values, ordered by channel for NCHW and by
// pixel for NHWC.
func (r *floatResizer) resizeRows(img *RGB, w, h int, emit func(y int, l rowBetween)) {
	lerps := newFloatLerps
	if r.torchPositions {
		lerps = newTorchLerps
	}
	r.cols, r.rows = lerps(r.cols, img.W, w), lerps(r.rows, img.H, h)
	r.cachedRows = [2]int{-1, -1}
	for i := range r.rowCache {
		r.rowCache[i] = resizeFloats(r.rowCache[i], channels*w)
	}
	if cap(r.sourceLine) <= img.W {
		r.sourceLine = make([][channels]float32, img.W+1)
	}
	r.sourceLine = r.sourceLine[:img.W+1]
	for y, l := range r.rows {
		second := min(l.first+1, img.H-1)
		top, bottom := r.cachedRow(img, l.first, second), r.cachedRow(img, second, l.first)
		emit(y, rowBetween{r.rowCache[top], r.rowCache[bottom], l.fraction})
	}
}

func resizeFloats(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// cachedRow returns the cache slot that contains source row y. If necessary, it interpolates the row into the slot that
// does not contain row keep.
func (r *floatResizer) cachedRow(img *RGB, y, keep int) int {
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
	r.loadRow(img.Pix[channels*img.W*y:][:channels*img.W])
	if r.layout == NCHW {
		r.interpolatePlanes(r.rowCache[slot])
	} else {
		r.interpolatePixels(r.rowCache[slot])
	}
	return slot
}

// loadRow maps a row of pixels.
func (r *floatResizer) loadRow(pix []uint8) {
	line, m := r.sourceLine[:len(pix)/channels], r.values
	for x := range line {
		p, v := (*[channels]uint8)(pix[channels*x:]), &line[x]
		v[0], v[1], v[2] = m[0][p[0]], m[1][p[1]], m[2][p[2]]
	}
	r.sourceLine[len(line)] = line[len(line)-1]
}

// interpolatePlanes interpolates the line along x, channel by channel.
func (r *floatResizer) interpolatePlanes(out []float32) {
	w, line := len(r.cols), r.sourceLine
	red, green, blue := out[:w], out[w:][:w], out[2*w:][:w]
	for x, l := range r.cols {
		p, f := (*[2][channels]float32)(line[l.first:]), l.fraction
		red[x] = p[0][0] + float32((p[1][0]-p[0][0])*f)
		green[x] = p[0][1] + float32((p[1][1]-p[0][1])*f)
		blue[x] = p[0][2] + float32((p[1][2]-p[0][2])*f)
	}
}

// interpolatePixels interpolates the line along x, pixel by pixel.
func (r *floatResizer) interpolatePixels(out []float32) {
	line := r.sourceLine
	for x, l := range r.cols {
		p, o, f := (*[2][channels]float32)(line[l.first:]), (*[channels]float32)(out[channels*x:]), l.fraction
		o[0] = p[0][0] + float32((p[1][0]-p[0][0])*f)
		o[1] = p[0][1] + float32((p[1][1]-p[0][1])*f)
		o[2] = p[0][2] + float32((p[1][2]-p[0][2])*f)
	}
}

// writeFloats interpolates between the rows, eight values at a time, because the compiler does not unroll loops.
func (l rowBetween) writeFloats(out []float32) {
	top, bottom, f := l.top[:len(out)], l.bottom[:len(out)], l.fraction
	i := 0
	for ; i+8 <= len(out); i += 8 {
		o, a, b := (*[8]float32)(out[i:]), (*[8]float32)(top[i:]), (*[8]float32)(bottom[i:])
		o[0] = a[0] + float32((b[0]-a[0])*f)
		o[1] = a[1] + float32((b[1]-a[1])*f)
		o[2] = a[2] + float32((b[2]-a[2])*f)
		o[3] = a[3] + float32((b[3]-a[3])*f)
		o[4] = a[4] + float32((b[4]-a[4])*f)
		o[5] = a[5] + float32((b[5]-a[5])*f)
		o[6] = a[6] + float32((b[6]-a[6])*f)
		o[7] = a[7] + float32((b[7]-a[7])*f)
	}
	for ; i < len(out); i++ {
		out[i] = top[i] + float32((bottom[i]-top[i])*f)
	}
}

// writeTruncated interpolates between the rows and truncates to whole numbers. The values must be in 0..255.
func (l rowBetween) writeTruncated(out []uint8) {
	top, bottom, f := l.top[:len(out)], l.bottom[:len(out)], l.fraction
	for i, v := range top {
		out[i] = uint8(int32(v + float32((bottom[i]-v)*f)))
	}
}

// floatLerp is a destination sample at a fraction of the distance from source sample first to the next one. At the end
// of an axis, the fraction is 0.
type floatLerp struct {
	first    int
	fraction float32
}

// newFloatLerps returns the samples of an axis scaled from src to dst, with the centres of pixels aligned. Outside the
// picture, the border sample counts.
func newFloatLerps(ls []floatLerp, src, dst int) []floatLerp {
	ls = ls[:0]
	scale := float64(src) / float64(dst)
	for d := range dst {
		at := min(max((float64(d)+0.5)*scale-0.5, 0), float64(src-1))
		first := int(math.Floor(at))
		ls = append(ls, floatLerp{first, float32(at - float64(first))})
	}
	return ls
}

// newTorchLerps is newFloatLerps with positions computed like PyTorch's interpolate for bilinear without align_corners.
func newTorchLerps(ls []floatLerp, src, dst int) []floatLerp {
	ls = ls[:0]
	scale := float32(src) / float32(dst)
	for d := range dst {
		at := max(float32(scale*(float32(d)+0.5))-0.5, 0)
		first := min(int(at), src-1)
		ls = append(ls, floatLerp{first, at - float32(first)})
	}
	return ls
}
