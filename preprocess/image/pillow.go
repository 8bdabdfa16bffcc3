package image

import "math"

// pillowResizer scales with Pillow's BILINEAR or BICUBIC. The filter's width depends on the scale, weights have 22
// bits, and the picture is rounded to 8 bits between the two passes.
type pillowResizer struct {
	cols, rows resizeAxis[int32]
	shares     []float64
	firstPass  []uint8 // result of the first pass
	sums       []int32
}

const (
	pillowBits = 32 - 8 - 2 // precision of Pillow's weights for 8-bit samples
	pillowHalf = 1 << (pillowBits - 1)
)

func (r *pillowResizer) resizeWindow(dst, src *RGB, win cropWindow, k pillowKernel) {
	r.shares = k.fillAxis(&r.cols, r.shares, src.W, win.fullW, win.x, win.w)
	r.shares = k.fillAxis(&r.rows, r.shares, src.H, win.fullH, win.y, win.h)
	if startsWithColumns(src, win) {
		r.resizeColumnsFirst(dst, src)
	} else {
		r.resizeRowsFirst(dst, src)
	}
}

// startsWithColumns reports whether Pillow, since version 13, starts with the vertical pass. It does if that pass
// reduces the number of pixels by more than twice as much as the horizontal pass. (Found by experiments; earlier
// versions never start with it.)
func startsWithColumns(src *RGB, win cropWindow) bool {
	return src.H > win.fullH && src.H-win.fullH > 2*(src.W-win.fullW)
}

// resizeRowsFirst scales along x the source rows that are used, then along y.
func (r *pillowResizer) resizeRowsFirst(dst, src *RGB) {
	first, end := r.rows.sourceExtent()
	n := channels * dst.W
	r.firstPass = resizeSlice(r.firstPass, n*(end-first))
	for y := first; y < end; y++ {
		filterRow(r.firstPass[n*(y-first):][:n], src.Pix[channels*src.W*y:], &r.cols, 0)
	}
	for y, s := range r.rows.spans {
		r.filterColumns(dst.Pix[n*y:][:n], r.firstPass[n*(s.first-first):], n, r.rows.weights[s.weightStart:][:s.n])
	}
}

// startsWithColumns scales along y the source columns that are used, then along x.
func (r *pillowResizer) resizeColumnsFirst(dst, src *RGB) {
	first, end := r.cols.sourceExtent()
	r.firstPass = resizeSlice(r.firstPass, channels*(end-first))
	stride, n := channels*src.W, channels*dst.W
	for y, s := range r.rows.spans {
		r.filterColumns(r.firstPass, src.Pix[stride*s.first+channels*first:], stride, r.rows.weights[s.weightStart:][:s.n])
		filterRow(dst.Pix[n*y:][:n], r.firstPass, &r.cols, first)
	}
}

// filterRow scales along x a row whose first sample has index origin on the axis.
func filterRow(dst, src []uint8, cols *resizeAxis[int32], origin int) {
	for x, s := range cols.spans {
		weights := cols.weights[s.weightStart:][:s.n]
		p := src[channels*(s.first-origin):][:channels*len(weights)]
		r, g, b := filterPixels(p, weights)
		out := (*[channels]uint8)(dst[channels*x:])
		out[0], out[1], out[2] = clipSample(r>>pillowBits), clipSample(g>>pillowBits), clipSample(b>>pillowBits)
	}
}

// filterPixels mixes len(weights) pixels, four at a time, because the compiler does not unroll loops.
func filterPixels(p []uint8, weights []int32) (r, g, b int32) {
	r, g, b = pillowHalf, pillowHalf, pillowHalf
	for len(weights) >= 4 && len(p) >= 4*channels {
		w, px := (*[4]int32)(weights), (*[4 * channels]uint8)(p)
		r += int32(px[0])*w[0] + int32(px[3])*w[1] + int32(px[6])*w[2] + int32(px[9])*w[3]
		g += int32(px[1])*w[0] + int32(px[4])*w[1] + int32(px[7])*w[2] + int32(px[10])*w[3]
		b += int32(px[2])*w[0] + int32(px[5])*w[1] + int32(px[8])*w[2] + int32(px[11])*w[3]
		weights, p = weights[4:], p[4*channels:]
	}
	for k, w := range weights {
		px := (*[channels]uint8)(p[channels*k:])
		r += int32(px[0]) * w
		g += int32(px[1]) * w
		b += int32(px[2]) * w
	}
	return r, g, b
}

// filterColumns mixes len(weights) rows of len(dst) samples, stride apart, four rows at a time.
func (r *pillowResizer) filterColumns(dst, rows []uint8, stride int, weights []int32) {
	r.sums = resizeSlice(r.sums, len(dst))
	sums := r.sums
	for i := range sums {
		sums[i] = pillowHalf
	}
	k := 0
	for ; k+4 <= len(weights); k += 4 {
		w, n := (*[4]int32)(weights[k:]), len(sums)
		p0, p1 := rows[k*stride:][:n], rows[(k+1)*stride:][:n]
		p2, p3 := rows[(k+2)*stride:][:n], rows[(k+3)*stride:][:n]
		for i := range sums {
			sums[i] += int32(p0[i])*w[0] + int32(p1[i])*w[1] + int32(p2[i])*w[2] + int32(p3[i])*w[3]
		}
	}
	for ; k < len(weights); k++ {
		w := weights[k]
		for i, v := range rows[k*stride:][:len(sums)] {
			sums[i] += int32(v) * w
		}
	}
	for i, v := range sums[:len(dst)] {
		dst[i] = clipSample(v >> pillowBits)
	}
}

func clipSample(v int32) uint8 { return uint8(min(max(v, 0), math.MaxUint8)) }
