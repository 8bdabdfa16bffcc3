package image

import "math"

// pillowResizer scales with Pillow's BILINEAR: a triangle filter as wide as the scale, weights of 22 bits, the picture
// rounded to 8 bits between the horizontal and the vertical pass.
type pillowResizer struct {
	cols, rows axis[int32]
	shares     []float64
	tmp        []uint8 // after the first pass
	sums       []int32
}

const (
	pillowBits = 32 - 8 - 2 // precision of Pillow's weights for 8-bit samples
	pillowHalf = 1 << (pillowBits - 1)
)

func (r *pillowResizer) resize(dst, src *RGB, win window) {
	r.shares = triangleAxis(&r.cols, r.shares, src.W, win.fullW, win.x, win.w)
	r.shares = triangleAxis(&r.rows, r.shares, src.H, win.fullH, win.y, win.h)
	if columnsFirst(src, win) {
		r.columnsFirst(dst, src)
	} else {
		r.rowsFirst(dst, src)
	}
}

// columnsFirst reports whether Pillow, from version 13 on, begins with the vertical pass: where that shrinks the
// picture by more than twice as many pixels as the horizontal one. (Found by trial; earlier versions never do.)
func columnsFirst(src *RGB, win window) bool {
	return src.H > win.fullH && src.H-win.fullH > 2*(src.W-win.fullW)
}

// rowsFirst scales along x the source rows that are used, then along y.
func (r *pillowResizer) rowsFirst(dst, src *RGB) {
	first, end := r.rows.extent()
	n := channels * dst.W
	r.tmp = grow(r.tmp, n*(end-first))
	for y := first; y < end; y++ {
		filterRow(r.tmp[n*(y-first):][:n], src.Pix[channels*src.W*y:], &r.cols, 0)
	}
	for y, s := range r.rows.spans {
		r.filterColumns(dst.Pix[n*y:][:n], r.tmp[n*(s.first-first):], n, r.rows.weights[s.at:][:s.n])
	}
}

// columnsFirst scales along y the source columns that are used, then along x.
func (r *pillowResizer) columnsFirst(dst, src *RGB) {
	first, end := r.cols.extent()
	r.tmp = grow(r.tmp, channels*(end-first))
	stride, n := channels*src.W, channels*dst.W
	for y, s := range r.rows.spans {
		r.filterColumns(r.tmp, src.Pix[stride*s.first+channels*first:], stride, r.rows.weights[s.at:][:s.n])
		filterRow(dst.Pix[n*y:][:n], r.tmp, &r.cols, first)
	}
}

// triangleAxis gives the weights of Pillow's precompute_coeffs and normalize_coeffs_8bpc for its triangle filter.
// shares is memory that it may use, and returns for the next.
func triangleAxis(a *axis[int32], shares []float64, src, dst, lo, n int) []float64 {
	scale := float64(src) / float64(dst)
	support := max(scale, 1)
	a.reset()
	for d := lo; d < lo+n; d++ {
		centre := (float64(d) + 0.5) * scale
		first := max(int(centre-support+0.5), 0)
		end := min(int(centre+support+0.5), src)
		shares = triangle(shares[:0], first, end, centre, 1/support)
		a.begin(first)
		for _, s := range shares {
			a.add(int32(float64(s*(1<<pillowBits)) + 0.5))
		}
	}
	return shares
}

// triangle appends the normalised heights of the triangle at samples first to end-1.
func triangle(shares []float64, first, end int, centre, step float64) []float64 {
	total := 0.0
	for x := first; x < end; x++ {
		w := max(1-math.Abs((float64(x)-centre+0.5)*step), 0)
		shares = append(shares, w)
		total += w
	}
	if total != 0 {
		for i := range shares {
			shares[i] /= total
		}
	}
	return shares
}

// filterRow scales along x a row whose first sample has index origin on the axis.
func filterRow(dst, src []uint8, cols *axis[int32], origin int) {
	for x, s := range cols.spans {
		r, g, b := int32(pillowHalf), int32(pillowHalf), int32(pillowHalf)
		weights := cols.weights[s.at:][:s.n]
		p := src[channels*(s.first-origin):][:channels*len(weights)]
		for k, w := range weights {
			px := (*[channels]uint8)(p[channels*k:])
			r += int32(px[0]) * w
			g += int32(px[1]) * w
			b += int32(px[2]) * w
		}
		out := (*[channels]uint8)(dst[channels*x:])
		out[0], out[1], out[2] = clip(r>>pillowBits), clip(g>>pillowBits), clip(b>>pillowBits)
	}
}

// filterColumns mixes len(weights) rows, stride apart, of len(dst) samples each.
func (r *pillowResizer) filterColumns(dst, rows []uint8, stride int, weights []int32) {
	r.sums = grow(r.sums, len(dst))
	for i := range r.sums {
		r.sums[i] = pillowHalf
	}
	for k, w := range weights {
		sums := r.sums
		for i, v := range rows[k*stride:][:len(sums)] {
			sums[i] += int32(v) * w
		}
	}
	for i, v := range r.sums[:len(dst)] {
		dst[i] = clip(v >> pillowBits)
	}
}

func clip(v int32) uint8 { return uint8(min(max(v, 0), math.MaxUint8)) }
