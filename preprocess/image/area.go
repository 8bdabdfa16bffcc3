package image

import "math"

// areaResizer scales down as OpenCV's INTER_AREA does by factors that are not whole numbers: each destination pixel is
// the mean of the source rectangle that it covers, summed in float32, first along the row, then down the column.
type areaResizer struct {
	cols, rows axis[float32]
	row, sum   []float32 // one source row averaged along x; the weighted sum of such rows
}

func (r *areaResizer) resize(dst, src *RGB, win window) {
	areaAxis(&r.cols, src.W, win.fullW, win.x, win.w)
	areaAxis(&r.rows, src.H, win.fullH, win.y, win.h)
	n := channels * win.w
	r.row, r.sum = grow(r.row, n), grow(r.sum, n)
	last := -1
	for y, s := range r.rows.spans {
		for k, beta := range r.rows.weights[s.at:][:s.n] {
			if s.first+k != last { // neighbours share the row on their border
				last = s.first + k
				averageRow(r.row, src.Pix[channels*src.W*last:][:channels*src.W], &r.cols)
			}
			accumulate(r.sum, r.row, beta, k == 0)
		}
		roundRow(dst.Pix[n*y:][:n], r.sum)
	}
}

// areaAxis gives the weights of the source samples under destination samples lo to lo+n-1 of an axis scaled from src
// to dst samples: the share of the cell that each covers, where border shares of up to a thousandth do not count.
func areaAxis(a *axis[float32], src, dst, lo, n int) {
	const tiny = 1e-3
	scale := cvScale(src, dst)
	a.reset()
	for d := lo; d < lo+n; d++ {
		from := float64(d) * scale
		to := from + scale
		cell := min(scale, float64(src)-from)
		end := min(int(math.Floor(to)), src-1)
		begin := min(int(math.Ceil(from)), end)
		if left := float64(begin) - from; left > tiny {
			a.begin(begin - 1)
			a.add(float32(left / cell))
		} else {
			a.begin(begin)
		}
		for range end - begin {
			a.add(float32(1 / cell))
		}
		if right := to - float64(end); right > tiny {
			a.add(float32(min(right, 1, cell) / cell))
		}
	}
}

// averageRow computes the weighted sums of one source row.
// The conversions of products keep the compiler from fusing them with the sums, which would round once less.
func averageRow(dst []float32, src []uint8, cols *axis[float32]) {
	for x, s := range cols.spans {
		var r, g, b float32
		p := src[channels*s.first:]
		for k, w := range cols.weights[s.at:][:s.n] {
			px := p[channels*k:][:channels]
			r += float32(float32(px[0]) * w)
			g += float32(float32(px[1]) * w)
			b += float32(float32(px[2]) * w)
		}
		out := dst[channels*x:][:channels]
		out[0], out[1], out[2] = r, g, b
	}
}

// accumulate adds beta*row to sum, or begins a new sum.
func accumulate(sum, row []float32, beta float32, begin bool) {
	sum = sum[:len(row)]
	if begin {
		for i, v := range row {
			sum[i] = v * beta
		}
		return
	}
	for i, v := range row {
		sum[i] += float32(v * beta)
	}
}

// roundRow rounds half to even.
func roundRow(dst []uint8, sum []float32) {
	sum = sum[:len(dst)]
	for i := range dst {
		dst[i] = roundEven(sum[i])
	}
}

// roundEven rounds v of [0, 2^22) to the nearest whole number, half to even, at most 255: the addition shifts the
// fraction out of a float32's 24-bit mantissa.
func roundEven(v float32) uint8 {
	const shift = 1 << 23
	return uint8(min(math.Float32bits(v+shift)&(shift-1), math.MaxUint8))
}

// areaByFactors scales down by whole factors: the mean of fx*fy pixels, rounded half to even; for 2x2 OpenCV rounds
// halves upwards.
func areaByFactors(dst, src *RGB, win window, fx, fy int) {
	scale := 1 / float32(fx*fy)
	for i := range dst.Pix {
		c, x, y := i%channels, i/channels%win.w+win.x, i/channels/win.w+win.y
		sum := boxSum(src, x*fx, y*fy, fx, fy, c)
		if fx == 2 && fy == 2 {
			dst.Pix[i] = uint8((sum + 2) >> 2)
		} else {
			dst.Pix[i] = roundEven(float32(sum) * scale)
		}
	}
}

// boxSum adds up channel c of the w x h pixels from x, y on.
func boxSum(src *RGB, x, y, w, h, c int) int {
	sum := 0
	for j := range h {
		row := src.Pix[channels*(src.W*(y+j)+x):][:channels*w]
		for i := c; i < len(row); i += channels {
			sum += int(row[i])
		}
	}
	return sum
}
