package image

import "math"

// pillowResizer scales with Pillow's BILINEAR: a triangle filter as wide as the scale, weights of 22 bits, the picture
// rounded to 8 bits between the horizontal and the vertical pass.
type pillowResizer struct {
	cols, rows axis[int32]
	tmp        []uint8 // the source rows in use, scaled along x
}

const (
	pillowBits = 32 - 8 - 2 // precision of Pillow's weights for 8-bit samples
	pillowHalf = 1 << (pillowBits - 1)
)

func (r *pillowResizer) resize(dst, src *RGB, win window) {
	triangleAxis(&r.cols, src.W, win.fullW, win.x, win.w)
	triangleAxis(&r.rows, src.H, win.fullH, win.y, win.h)
	first := r.rows.spans[0].first
	end := first
	for _, s := range r.rows.spans {
		end = max(end, s.first+s.n)
	}
	n := channels * win.w
	r.tmp = grow(r.tmp, n*(end-first))
	for y := first; y < end; y++ {
		filterRow(r.tmp[n*(y-first):][:n], src.Pix[channels*src.W*y:][:channels*src.W], &r.cols)
	}
	for y, s := range r.rows.spans {
		filterColumns(dst.Pix[n*y:][:n], r.tmp[n*(s.first-first):], r.rows.weights[s.at:][:s.n])
	}
}

// triangleAxis gives the weights of Pillow's precompute_coeffs and normalize_coeffs_8bpc for its triangle filter.
func triangleAxis(a *axis[int32], src, dst, lo, n int) {
	scale := float64(src) / float64(dst)
	support := max(scale, 1)
	var shares []float64
	a.reset()
	for d := lo; d < lo+n; d++ {
		centre := (float64(d) + 0.5) * scale
		first := max(int(centre-support+0.5), 0)
		end := min(int(centre+support+0.5), src)
		shares = triangle(shares[:0], first, end, centre, 1/support)
		a.begin(first)
		for _, s := range shares {
			a.add(int32(s*(1<<pillowBits) + 0.5))
		}
	}
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
			shares[i] *= 1 / total
		}
	}
	return shares
}

func filterRow(dst, src []uint8, cols *axis[int32]) {
	for x, s := range cols.spans {
		r, g, b := int32(pillowHalf), int32(pillowHalf), int32(pillowHalf)
		p := src[channels*s.first:]
		for k, w := range cols.weights[s.at:][:s.n] {
			px := p[channels*k:][:channels]
			r += int32(px[0]) * w
			g += int32(px[1]) * w
			b += int32(px[2]) * w
		}
		out := dst[channels*x:][:channels]
		out[0], out[1], out[2] = clip(r>>pillowBits), clip(g>>pillowBits), clip(b>>pillowBits)
	}
}

// filterColumns mixes len(weights) rows of len(dst) samples each.
func filterColumns(dst, rows []uint8, weights []int32) {
	for i := range dst {
		sum := int32(pillowHalf)
		for k, w := range weights {
			sum += int32(rows[k*len(dst)+i]) * w
		}
		dst[i] = clip(sum >> pillowBits)
	}
}

func clip(v int32) uint8 { return uint8(min(max(v, 0), math.MaxUint8)) }
