package image

import "math"

// pillowKernel is the kernel of a Pillow filter.
type pillowKernel struct {
	support float64 // distance from which on the height is 0
	height  func(distance float64) float64
}

// pillowKernelFor returns the kernel of a Pillow filter.
func pillowKernelFor(f Filter) pillowKernel {
	if f == PillowBicubic {
		return pillowKernel{2, cubicKernel}
	}
	return pillowKernel{1, triangleKernel}
}

func triangleKernel(x float64) float64 { return max(1-math.Abs(x), 0) }

// cubicKernel is the cubic convolution of Keys (1981) with a = -1/2.
func cubicKernel(x float64) float64 {
	const a = -0.5
	switch x = math.Abs(x); {
	case x < 1:
		return float64(float64((float64((a+2)*x)-(a+3))*x)*x) + 1
	case x < 2:
		return (float64((float64((x-5)*x)+8)*x) - 4) * a
	}
	return 0
}

// fillAxis computes the weights as Pillow's precompute_coeffs and normalize_coeffs_8bpc do. shares is a buffer, which
// is returned for reuse.
func (k pillowKernel) fillAxis(a *resizeAxis[int32], shares []float64, src, dst, lo, n int) []float64 {
	scale := float64(src) / float64(dst)
	wide := max(scale, 1)
	support := k.support * wide
	a.reset()
	for d := lo; d < lo+n; d++ {
		centre := (float64(d) + 0.5) * scale
		first := max(int(centre-support+0.5), 0)
		end := min(int(centre+support+0.5), src)
		shares = k.appendWeights(shares[:0], first, end, centre, 1/wide)
		a.beginSample(first)
		for _, s := range shares {
			a.addWeight(int32(math.Round(s * (1 << pillowBits))))
		}
	}
	return shares
}

// appendWeights appends the normalized heights of the kernel at samples first to end-1.
func (k pillowKernel) appendWeights(weights []float64, first, end int, centre, step float64) []float64 {
	total := 0.0
	for x := first; x < end; x++ {
		w := k.height((float64(x) - centre + 0.5) * step)
		weights = append(weights, w)
		total += w
	}
	if total != 0 {
		for i := range weights {
			weights[i] /= total
		}
	}
	return weights
}
