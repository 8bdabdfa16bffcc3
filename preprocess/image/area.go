package image

import "math"

// areaResizer scales down like OpenCV's INTER_AREA by factors that are not whole numbers. Each destination pixel is the
// mean of the source rectangle that it covers. Sums are in float32, first along the row, then along the column.
type areaResizer struct {
	colShares, rowShares resizeAxis[float32]
	cols, rows           areaCells
	row, sum             []float32 // a source row summed along x, and the sum of such rows so far
}

// areaCells describes the source samples that adjacent destination samples cover. A sample on the border between two of
// them is read once for both.
type areaCells struct {
	first  int     // index of the first source sample
	weight float32 // weight of the first source sample
	cells  []areaCell
}

// areaCell describes the source samples of a destination sample, except its first one, which is the border of the
// previous cell.
type areaCell struct {
	firstInner   int       // index of the first sample inside the cell
	innerWeights []float32 // weights of the samples inside
	border       int       // index of the sample on the border to the next cell
	borderWeight float32   // weight of the border sample in this cell
	nextWeight   float32   // weight of the border sample in the next cell
}

// setCells sets the cells of destination samples lo to lo+n-1 of an axis scaled from src to dst samples. shares holds
// the weights.
func (c *areaCells) setCells(shares *resizeAxis[float32], src, dst, lo, n int) {
	areaAxis(shares, src, dst, lo, n)
	c.first, c.weight = shares.spans[0].first, shares.weights[0]
	c.cells = resizeSlice(c.cells, n)
	for i, s := range shares.spans {
		weights := shares.weights[s.weightStart:][:s.n]
		next := sampleSpan{first: s.first + s.n}
		nextWeight := float32(0)
		if i+1 < n {
			next = shares.spans[i+1]
			nextWeight = shares.weights[next.weightStart]
		}
		c.cells[i] = newAreaCell(s.first, weights, min(next.first, src-1), nextWeight)
	}
}

// newAreaCell returns the cell of the samples from first on with the given weights. It ends with the sample border,
// which has the weight next in the next cell.
func newAreaCell(first int, weights []float32, border int, next float32) areaCell {
	c := areaCell{firstInner: first + 1, border: border, nextWeight: next}
	if i := border - first; i > 0 && i < len(weights) {
		c.innerWeights, c.borderWeight = weights[1:i], weights[i]
	} else {
		c.innerWeights = weights[1:]
	}
	return c
}

func (r *areaResizer) resizeWindow(dst, src *RGB, win cropWindow) {
	r.cols.setCells(&r.colShares, src.W, win.fullW, win.x, win.w)
	r.rows.setCells(&r.rowShares, src.H, win.fullH, win.y, win.h)
	n := channels * win.w
	r.row, r.sum = resizeSlice(r.row, n), resizeSlice(r.sum, n)
	r.sumRow(src, r.rows.first)
	scaleRow(r.sum, r.row, r.rows.weight)
	for y := range r.rows.cells {
		c := &r.rows.cells[y]
		for i, w := range c.innerWeights {
			r.sumRow(src, c.firstInner+i)
			addRow(r.sum, r.row, w)
		}
		r.sumRow(src, c.border)
		finishRow(dst.Pix[n*y:][:n], r.sum, r.row, c.borderWeight, c.nextWeight)
	}
}

// areaAxis computes the weights of the source samples under destination samples lo to lo+n-1 of an axis scaled from src
// to dst samples. A weight is the share of the cell that the sample covers. Border shares of up to a thousandth are
// ignored.
func areaAxis(a *resizeAxis[float32], src, dst, lo, n int) {
	const tiny = 1e-3
	scale := openCVScale(src, dst)
	a.reset()
	for d := lo; d < lo+n; d++ {
		from := float64(d) * scale
		to := from + scale
		cell := min(scale, float64(src)-from)
		end := min(int(math.Floor(to)), src-1)
		begin := min(int(math.Ceil(from)), end)
		if left := float64(begin) - from; left > tiny {
			a.beginSample(begin - 1)
			a.addWeight(float32(left / cell))
		} else {
			a.beginSample(begin)
		}
		for range end - begin {
			a.addWeight(float32(1 / cell))
		}
		if right := to - float64(end); right > tiny {
			a.addWeight(float32(min(right, 1, cell) / cell))
		}
	}
}

// levels32 contains the sample levels as float32, because a table look-up is faster than a conversion.
var levels32 = func() *[256]float32 {
	t := new([256]float32)
	for i := range t {
		t[i] = float32(i)
	}
	return t
}()

// sumRow sums source row y along x into r.row. The conversions of products prevent the compiler from fusing them with
// the sums, which would skip a rounding.
func (r *areaResizer) sumRow(src *RGB, y int) {
	t, row, pix := levels32, r.row, src.Pix[channels*src.W*y:][:channels*src.W]
	p := (*[channels]uint8)(pix[channels*r.cols.first:])
	w := r.cols.weight
	red, green, blue := t[p[0]]*w, t[p[1]]*w, t[p[2]]*w
	for x := range r.cols.cells {
		c := &r.cols.cells[x]
		for i, w := range c.innerWeights {
			p = (*[channels]uint8)(pix[channels*(c.firstInner+i):])
			red += float32(t[p[0]] * w)
			green += float32(t[p[1]] * w)
			blue += float32(t[p[2]] * w)
		}
		p = (*[channels]uint8)(pix[channels*c.border:])
		r0, g0, b0 := t[p[0]], t[p[1]], t[p[2]]
		out := (*[channels]float32)(row[channels*x:])
		out[0] = red + float32(r0*c.borderWeight)
		out[1] = green + float32(g0*c.borderWeight)
		out[2] = blue + float32(b0*c.borderWeight)
		red, green, blue = r0*c.nextWeight, g0*c.nextWeight, b0*c.nextWeight
	}
}

func scaleRow(sum, row []float32, w float32) {
	sum = sum[:len(row)]
	for i, v := range row {
		sum[i] = v * w
	}
}

func addRow(sum, row []float32, w float32) {
	sum = sum[:len(row)]
	for i, v := range row {
		sum[i] += float32(v * w)
	}
}

// finishRow adds the border row to the sums, rounds them to dst, and starts the next sums.
func finishRow(dst []uint8, sum, row []float32, end, next float32) {
	sum, row = sum[:len(dst)], row[:len(dst)]
	for i, v := range row {
		dst[i] = roundEven(sum[i] + float32(v*end))
		sum[i] = v * next
	}
}

// roundEven rounds v in [0, 255.5) to the nearest whole number, half to even. The addition shifts the fraction out of
// float32's 24-bit mantissa.
func roundEven(v float32) uint8 { return uint8(math.Float32bits(v + 1<<23)) }

// resizeByFactors scales down by whole factors. The result is the mean of fx*fy pixels, rounded half to even, or half
// up for 2x2, like OpenCV.
func resizeByFactors(dst, src *RGB, win cropWindow, fx, fy int) {
	scale := 1 / float32(fx*fy)
	mean := func(sum int) uint8 { return roundEven(float32(float32(sum) * scale)) } // rounded twice and never fused
	if fx == 2 && fy == 2 {
		mean = func(sum int) uint8 { return uint8((sum + 2) >> 2) }
	}
	for y := range win.h {
		for x := range win.w {
			sum := sumBox(src, (win.x+x)*fx, (win.y+y)*fy, fx, fy)
			out := (*[channels]uint8)(dst.Pix[channels*(win.w*y+x):])
			out[0], out[1], out[2] = mean(sum[0]), mean(sum[1]), mean(sum[2])
		}
	}
}

// sumBox returns the sum of the w x h pixels from x, y on.
func sumBox(src *RGB, x, y, w, h int) (sum [channels]int) {
	for j := range h {
		row := src.Pix[channels*(src.W*(y+j)+x):][:channels*w]
		for ; len(row) >= channels; row = row[channels:] {
			sum[0] += int(row[0])
			sum[1] += int(row[1])
			sum[2] += int(row[2])
		}
	}
	return sum
}
