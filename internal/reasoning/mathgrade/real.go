package mathgrade

import (
	"math/big"
)

// realField computes real numbers with a precision in bits. The last few bits may be wrong. It sums series until their
// terms are negligible, after reductions of the argument.
type realField struct {
	bits uint
	pi   *big.Float // 0 until it is first used
}

func newRealField(bits uint) *realField { return &realField{bits: bits} }

func (c *realField) newFloat() *big.Float { return new(big.Float).SetPrec(c.bits) }

func (c *realField) newInt(n int64) *big.Float { return c.newFloat().SetInt64(n) }

// halvings is the number of times that an argument is halved before its series.
const halvings = 12

// half returns x/2^n.
func (c *realField) half(x *big.Float, n int) *big.Float { return c.newFloat().SetMantExp(x, -n) }

// isNegligible reports whether a term no longer changes a sum.
func (c *realField) isNegligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(c.bits)-2
}

// sumSeries returns first * (1 + x r(1) (1 + x r(2) (...))), where r(n) is 1/divisor(n).
func (c *realField) sumSeries(first, x *big.Float, divisor func(n int64) int64) *big.Float {
	sum, term := c.newFloat().Set(first), c.newFloat().Set(first)
	for n := int64(1); term.Sign() != 0; n++ {
		term.Mul(term, x)
		term.Quo(term, c.newInt(divisor(n)))
		sum.Add(sum, term)
		if c.isNegligible(term, sum) {
			break
		}
	}
	return sum
}

// exp returns e^x for |x| up to 2^20.
func (c *realField) exp(x *big.Float) (*big.Float, error) {
	if x.MantExp(nil) > 20 {
		return nil, errBounds
	}
	more := newRealField(c.bits + guardBits)
	n := max(0, x.MantExp(nil)) + halvings
	e := more.sumSeries(more.newInt(1), more.half(x, n), func(n int64) int64 { return n })
	for range n {
		e.Mul(e, e)
	}
	return c.newFloat().Set(e), nil
}

// ln returns the natural logarithm of x > 0, by Newton's iteration on exp that starts with the logarithm of a float64.
func (c *realField) ln(x *big.Float) *big.Float {
	m := c.newFloat()
	exponent := x.MantExp(m) // x = m 2^exponent, m in [0.5, 1)
	result := c.atanhSeries(m)
	if exponent != 0 {
		two := c.atanhSeries(c.half(c.newInt(1), 1)) // -ln 2
		result.Sub(result, two.Mul(two, c.newInt(int64(exponent))))
	}
	return result
}

// atanhSeries returns ln m for m in [0.5, 1]. It uses a root of m, which is near 1, and 2 atanh((m-1)/(m+1)).
func (c *realField) atanhSeries(m *big.Float) *big.Float {
	more := newRealField(c.bits + guardBits)
	root := more.newFloat().Set(m)
	const roots = 8
	for range roots {
		root.Sqrt(root)
	}
	one := more.newInt(1)
	y := more.newFloat().Quo(more.newFloat().Sub(root, one), more.newFloat().Add(root, one))
	sum := more.oddSeries(y, 1)
	return c.newFloat().SetMantExp(sum, roots+1)
}

// oddSeries returns y + s y^3/3 + s^2 y^5/5 + ... for a sign s.
func (c *realField) oddSeries(y *big.Float, sign int64) *big.Float {
	sum, power := c.newFloat().Set(y), c.newFloat().Set(y)
	square := c.newFloat().Mul(y, y)
	square.Mul(square, c.newInt(sign))
	for n := int64(3); power.Sign() != 0; n += 2 {
		power.Mul(power, square)
		term := c.newFloat().Quo(power, c.newInt(n))
		sum.Add(sum, term)
		if c.isNegligible(term, sum) {
			break
		}
	}
	return sum
}

// atan returns the arc tangent. It halves the angle several times.
func (c *realField) atan(x *big.Float) *big.Float {
	more := newRealField(c.bits + guardBits)
	y := more.newFloat().Set(x)
	one := more.newInt(1)
	for range halvings {
		r := more.newFloat().Mul(y, y)
		r.Sqrt(r.Add(r, one))
		y.Quo(y, r.Add(r, one))
	}
	return c.newFloat().SetMantExp(more.oddSeries(y, -1), halvings)
}

// circlePi returns pi.
func (c *realField) circlePi() *big.Float {
	if c.pi == nil {
		c.pi = c.newFloat().SetMantExp(c.atan(c.newInt(1)), 2)
	}
	return c.newFloat().Set(c.pi)
}

// angle returns the angle of the point (x, y), in (-pi, pi].
func (c *realField) angle(x, y *big.Float) *big.Float {
	switch {
	case y.Sign() == 0 && x.Sign() >= 0:
		return c.newInt(0)
	case y.Sign() == 0:
		return c.circlePi()
	case x.Sign() == 0:
		a := c.half(c.circlePi(), 1)
		return a.Mul(a, c.newInt(int64(y.Sign())))
	}
	a := c.atan(c.newFloat().Quo(y, x))
	if x.Sign() < 0 {
		pi := c.circlePi()
		a.Add(a, pi.Mul(pi, c.newInt(int64(y.Sign()))))
	}
	return a
}

// sincos returns the sine and the cosine of x for |x| up to 2^20.
func (c *realField) sincos(x *big.Float) (sin, cos *big.Float, err error) {
	if x.MantExp(nil) > 20 {
		return nil, nil, errBounds
	}
	more := newRealField(c.bits + 3*guardBits)
	n := max(0, x.MantExp(nil)) + halvings
	h := more.half(x, n)
	square := more.newFloat().Mul(h, h)
	square.Neg(square)
	sin = more.sumSeries(h, square, func(n int64) int64 { return 2 * n * (2*n + 1) })
	// v is 1 - cos, which keeps its digits when the angle is doubled: v -> 2 v (2 - v).
	versed := more.half(square, 1)
	versed.Neg(versed)
	versed = more.sumSeries(versed, square, func(n int64) int64 { return (2*n + 1) * (2*n + 2) })
	for range n {
		v := more.newFloat().Sub(more.newInt(1), versed)
		sin.Mul(sin, v)
		sin.Add(sin, sin)
		two := more.newFloat().Sub(more.newInt(2), versed)
		versed.Mul(versed, two)
		versed.Add(versed, versed)
	}
	return c.newFloat().Set(sin), c.newFloat().Sub(more.newInt(1), versed), nil
}

// power returns x^y for x > 0.
func (c *realField) power(x, y *big.Float) (*big.Float, error) {
	l := c.ln(x)
	return c.exp(l.Mul(l, y))
}
