package image

import (
	"fmt"
	"math"
)

// Filter is a method of resizing pictures of 8-bit samples. Each filter gives the same pixels as the library's.
type Filter int

// Filters of two libraries, whose pixels differ.
const (
	Area           Filter = iota // OpenCV's INTER_AREA: box average for downscaling, a kind of bilinear for upscaling
	Linear                       // OpenCV's INTER_LINEAR: bilinear between the four nearest pixels, without antialiasing
	PillowBilinear               // Pillow's BILINEAR: triangle filter that is wider for downscaling
	PillowBicubic                // Pillow's BICUBIC: cubic filter that is wider for downscaling
)

func (f Filter) String() string {
	if f < Area || f > PillowBicubic {
		return fmt.Sprintf("Filter(%d)", int(f))
	}
	return [...]string{"INTER_AREA", "INTER_LINEAR", "Pillow BILINEAR", "Pillow BICUBIC"}[f]
}

// Resize returns img scaled to w x h.
func Resize(img *RGB, w, h int, f Filter) (*RGB, error) {
	if err := img.checkFields(); err != nil {
		return nil, err
	}
	if w <= 0 || h <= 0 || f < Area || f > PillowBicubic {
		return nil, fmt.Errorf("%w: resize to %dx%d with %v, want at least 1x1 and a known filter", ErrBadPicture, w, h, f)
	}
	out := new(RGB)
	out.setSize(w, h)
	new(pictureResizer).resizeWindow(out, img, cropWindow{fullW: w, fullH: h, w: w, h: h}, f)
	return out, nil
}

// cropWindow is the rectangle x, y, w, h of a picture that was resized to fullW x fullH.
type cropWindow struct {
	fullW, fullH int
	x, y, w, h   int
}

// pictureResizer contains the memory of resizing, for reuse by one goroutine at a time.
type pictureResizer struct {
	area   areaResizer
	linear linearResizer
	pillow pillowResizer
}

// resizeWindow computes the window win of the resized src. dst must have the window's size.
func (r *pictureResizer) resizeWindow(dst, src *RGB, win cropWindow, f Filter) {
	sx, sy := openCVScale(src.W, win.fullW), openCVScale(src.H, win.fullH)
	switch {
	case f == PillowBilinear || f == PillowBicubic:
		r.pillow.resizeWindow(dst, src, win, pillowKernelFor(f))
	case f == Linear && !(isFactor(sx, 2) && isFactor(sy, 2)):
		r.linear.resizeWindow(dst, src, win, centreAligned)
	case f == Area && (sx < 1 || sy < 1):
		r.linear.resizeWindow(dst, src, win, cornerAligned)
	case isInteger(sx) && isInteger(sy):
		resizeByFactors(dst, src, win, int(math.RoundToEven(sx)), int(math.RoundToEven(sy)))
	default:
		r.area.resizeWindow(dst, src, win)
	}
}

// openCVScale returns the number of source pixels per destination pixel, computed through the reciprocal like in
// OpenCV.
func openCVScale(src, dst int) float64 { return 1 / (float64(dst) / float64(src)) }

// isInteger reports whether OpenCV treats a scale as a whole number.
func isInteger(scale float64) bool {
	const epsilon = 0x1p-52 // DBL_EPSILON
	return math.Abs(scale-math.RoundToEven(scale)) < epsilon
}

func isFactor(scale, factor float64) bool {
	return isInteger(scale) && math.RoundToEven(scale) == factor
}

// sampleSpan describes the n source samples, from first on, that contribute to a destination sample. Its weights start
// at index at of the axis.
type sampleSpan struct{ first, n, weightStart int }

// resizeAxis describes how the destination samples of one axis are computed.
type resizeAxis[W float32 | int32] struct {
	spans   []sampleSpan
	weights []W
}

func (a *resizeAxis[W]) reset() { a.spans, a.weights = a.spans[:0], a.weights[:0] }

// beginSample starts the next destination sample. first is its first source sample.
func (a *resizeAxis[W]) beginSample(first int) {
	a.spans = append(a.spans, sampleSpan{first: first, weightStart: len(a.weights)})
}

// addWeight appends the weight of the next source sample.
func (a *resizeAxis[W]) addWeight(w W) {
	a.weights = append(a.weights, w)
	a.spans[len(a.spans)-1].n++
}

// sourceExtent returns the source samples first to end-1 on which the destination samples depend.
func (a *resizeAxis[W]) sourceExtent() (first, end int) {
	first = a.spans[0].first
	for _, s := range a.spans {
		end = max(end, s.first+s.n)
	}
	return first, end
}

// resizeSlice returns s with length n and undefined content.
func resizeSlice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
