package audio

import "math"

// fourierTransform is a complex Fourier transform whose size has the factors 4, 5 and 2. It uses Stockham's algorithm,
// which returns the result in order (C. Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992,
// section 1.7).
type fourierTransform struct {
	passes []fourierPass
	buffer []complex128
}

// fourierPass is a stage of the transform: groups of transforms of radix points each.
type fourierPass struct {
	radix    int
	groups   int          // groups with different twiddle factors
	stride   int          // adjacent points in each group that have the same twiddle factors
	twiddles []complex128 // [groups, radix-1]: twiddle factors except the first, which is 1
}

// newFourierTransform returns a transform. It panics if the size has other factors.
func newFourierTransform(size int) *fourierTransform {
	t := &fourierTransform{buffer: make([]complex128, size)}
	for left, stride := size, 1; left > 1; {
		radix := radixOf(left)
		t.passes = append(t.passes, newFourierPass(radix, left, stride))
		left, stride = left/radix, stride*radix
	}
	return t
}

func radixOf(n int) int {
	for _, radix := range []int{4, 5, 2} {
		if n%radix == 0 {
			return radix
		}
	}
	panic("audio: a transform whose size has factors other than 2 and 5")
}

func newFourierPass(radix, points, stride int) fourierPass {
	p := fourierPass{radix: radix, groups: points / radix, stride: stride}
	for group := range p.groups {
		for k := 1; k < radix; k++ {
			sin, cos := math.Sincos(-2 * math.Pi * float64(group*k) / float64(points))
			p.twiddles = append(p.twiddles, complex(cos, sin))
		}
	}
	return p
}

// transform transforms x, which it overwrites. The result is x or memory of t, which is valid until the next call.
func (t *fourierTransform) transform(x []complex128) []complex128 {
	y := t.buffer
	for i := range t.passes {
		t.passes[i].runPass(y, x)
		x, y = y, x
	}
	return x
}

func (p *fourierPass) runPass(dst, src []complex128) {
	switch {
	case p.radix == 4 && p.stride == 1:
		p.runFirst4(dst, src)
	case p.radix == 4:
		p.run4(dst, src)
	case p.radix == 5:
		p.run5(dst, src)
	default:
		p.run2(dst, src)
	}
}

// timesMinusI returns x times -i.
func timesMinusI(x complex128) complex128 { return complex(imag(x), -real(x)) }

// runFirst4 is run4 for a stride of 1, without an inner loop.
func (p *fourierPass) runFirst4(dst, src []complex128) {
	m := p.groups
	a, b, c, d := src[:m], src[m:][:m], src[2*m:][:m], src[3*m:][:m]
	for g := range a {
		w, o := p.twiddles[3*g:][:3], dst[4*g:][:4]
		even, odd := a[g]+c[g], b[g]+d[g]
		rest, other := a[g]-c[g], timesMinusI(b[g]-d[g])
		o[0], o[1], o[2], o[3] = even+odd, (rest+other)*w[0], (even-odd)*w[1], (rest-other)*w[2]
	}
}

func (p *fourierPass) run4(dst, src []complex128) {
	m, s := p.groups*p.stride, p.stride
	for g := range p.groups {
		w := p.twiddles[3*g:][:3]
		w1, w2, w3 := w[0], w[1], w[2]
		in, out := src[g*s:], dst[4*g*s:][:4*s]
		a, b, c, d := in[:s], in[m:][:s], in[2*m:][:s], in[3*m:][:s]
		o, o1, o2, o3 := out[:s], out[s:][:s], out[2*s:][:s], out[3*s:][:s]
		for q := range a {
			even, odd := a[q]+c[q], b[q]+d[q]
			rest, other := a[q]-c[q], timesMinusI(b[q]-d[q])
			o[q], o1[q], o2[q], o3[q] = even+odd, (rest+other)*w1, (even-odd)*w2, (rest-other)*w3
		}
	}
}

// Cosines and sines of one and two fifths of a turn.
var (
	cos1, cos2 = math.Cos(2 * math.Pi / 5), math.Cos(4 * math.Pi / 5)
	sin1, sin2 = math.Sin(2 * math.Pi / 5), math.Sin(4 * math.Pi / 5)
)

func (p *fourierPass) run5(dst, src []complex128) {
	m, s := p.groups*p.stride, p.stride
	for g := range p.groups {
		w := p.twiddles[4*g:][:4]
		in, out := src[g*s:], dst[5*g*s:][:5*s]
		a, b, c, d, e := in[:s], in[m:][:s], in[2*m:][:s], in[3*m:][:s], in[4*m:][:s]
		o, o1, o2, o3, o4 := out[:s], out[s:][:s], out[2*s:][:s], out[3*s:][:s], out[4*s:][:s]
		for q, x := range a {
			near, far := b[q]+e[q], c[q]+d[q]
			nearRest, farRest := timesMinusI(b[q]-e[q]), timesMinusI(c[q]-d[q])
			even1 := x + scaleComplex(near, cos1) + scaleComplex(far, cos2)
			even2 := x + scaleComplex(near, cos2) + scaleComplex(far, cos1)
			odd1 := scaleComplex(nearRest, sin1) + scaleComplex(farRest, sin2)
			odd2 := scaleComplex(nearRest, sin2) - scaleComplex(farRest, sin1)
			o[q] = x + near + far
			o1[q], o4[q] = (even1+odd1)*w[0], (even1-odd1)*w[3]
			o2[q], o3[q] = (even2+odd2)*w[1], (even2-odd2)*w[2]
		}
	}
}

func scaleComplex(x complex128, by float64) complex128 { return complex(real(x)*by, imag(x)*by) }

func (p *fourierPass) run2(dst, src []complex128) {
	m, s := p.groups*p.stride, p.stride
	for g, w := range p.twiddles {
		in, out := src[g*s:], dst[2*g*s:][:2*s]
		a, b, o, o1 := in[:s], in[m:][:s], out[:s], out[s:][:s]
		for q := range a {
			o[q], o1[q] = a[q]+b[q], (a[q]-b[q])*w
		}
	}
}
