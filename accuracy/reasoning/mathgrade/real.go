package mathgrade

import (
	"math/big"
)

// real computes with a precision in bits, of which the last few may be wrong. Series are summed until their terms
// vanish, behind reductions that make them quick.
type real struct {
	bits uint
	pi   *big.Float // 0 until it is asked for
}

func newReal(bits uint) *real { return &real{bits: bits} }

func (c *real) new() *big.Float { return new(big.Float).SetPrec(c.bits) }

func (c *real) int(n int64) *big.Float { return c.new().SetInt64(n) }

// halvings is how often an argument is halved before its series.
const halvings = 12

// half is x/2^n.
func (c *real) half(x *big.Float, n int) *big.Float { return c.new().SetMantExp(x, -n) }

// negligible says whether a term changes a sum no more.
func (c *real) negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-int(c.bits)-2
}

// series sums first * (1 + x r(1) (1 + x r(2) (...))), where r(n) is 1/divisor(n).
func (c *real) series(first, x *big.Float, divisor func(n int64) int64) *big.Float {
	sum, term := c.new().Set(first), c.new().Set(first)
	for n := int64(1); term.Sign() != 0; n++ {
		term.Mul(term, x)
		term.Quo(term, c.int(divisor(n)))
		sum.Add(sum, term)
		if c.negligible(term, sum) {
			break
		}
	}
	return sum
}

// exp is e^x, for |x| up to 2^20.
func (c *real) exp(x *big.Float) (*big.Float, error) {
	if x.MantExp(nil) > 20 {
		return nil, errBounds
	}
	more := newReal(c.bits + guard)
	n := max(0, x.MantExp(nil)) + halvings
	e := more.series(more.int(1), more.half(x, n), func(n int64) int64 { return n })
	for range n {
		e.Mul(e, e)
	}
	return c.new().Set(e), nil
}

// ln is the natural logarithm of x > 0, by Newton's iteration on exp from a float64's.
func (c *real) ln(x *big.Float) *big.Float {
	m := c.new()
	exponent := x.MantExp(m) // x = m 2^exponent, m in [0.5, 1)
	result := c.atanhSeries(m)
	if exponent != 0 {
		two := c.atanhSeries(c.half(c.int(1), 1)) // -ln 2
		result.Sub(result, two.Mul(two, c.int(int64(exponent))))
	}
	return result
}

// atanhSeries is ln m for m in [0.5, 1]: of a root of m, which is near 1, by 2 atanh((m-1)/(m+1)).
func (c *real) atanhSeries(m *big.Float) *big.Float {
	more := newReal(c.bits + guard)
	root := more.new().Set(m)
	const roots = 8
	for range roots {
		root.Sqrt(root)
	}
	one := more.int(1)
	y := more.new().Quo(more.new().Sub(root, one), more.new().Add(root, one))
	sum := more.oddSeries(y, 1)
	return c.new().SetMantExp(sum, roots+1)
}

// oddSeries is y + s y^3/3 + s^2 y^5/5 + ..., for a sign s.
func (c *real) oddSeries(y *big.Float, sign int64) *big.Float {
	sum, power := c.new().Set(y), c.new().Set(y)
	square := c.new().Mul(y, y)
	square.Mul(square, c.int(sign))
	for n := int64(3); power.Sign() != 0; n += 2 {
		power.Mul(power, square)
		term := c.new().Quo(power, c.int(n))
		sum.Add(sum, term)
		if c.negligible(term, sum) {
			break
		}
	}
	return sum
}

// atan is the arc tangent: of a half of the angle, several times over.
func (c *real) atan(x *big.Float) *big.Float {
	more := newReal(c.bits + guard)
	y := more.new().Set(x)
	one := more.int(1)
	for range halvings {
		r := more.new().Mul(y, y)
		r.Sqrt(r.Add(r, one))
		y.Quo(y, r.Add(r, one))
	}
	return c.new().SetMantExp(more.oddSeries(y, -1), halvings)
}

// circle is pi.
func (c *real) circle() *big.Float {
	if c.pi == nil {
		c.pi = c.new().SetMantExp(c.atan(c.int(1)), 2)
	}
	return c.new().Set(c.pi)
}

// angle is that of the point (x, y), in (-pi, pi].
func (c *real) angle(x, y *big.Float) *big.Float {
	switch {
	case y.Sign() == 0 && x.Sign() >= 0:
		return c.int(0)
	case y.Sign() == 0:
		return c.circle()
	case x.Sign() == 0:
		a := c.half(c.circle(), 1)
		return a.Mul(a, c.int(int64(y.Sign())))
	}
	a := c.atan(c.new().Quo(y, x))
	if x.Sign() < 0 {
		pi := c.circle()
		a.Add(a, pi.Mul(pi, c.int(int64(y.Sign()))))
	}
	return a
}

// sincos is the sine and the cosine of x, for |x| up to 2^20.
func (c *real) sincos(x *big.Float) (sin, cos *big.Float, err error) {
	if x.MantExp(nil) > 20 {
		return nil, nil, errBounds
	}
	more := newReal(c.bits + 3*guard)
	n := max(0, x.MantExp(nil)) + halvings
	h := more.half(x, n)
	square := more.new().Mul(h, h)
	square.Neg(square)
	sin = more.series(h, square, func(n int64) int64 { return 2 * n * (2*n + 1) })
	// 1 - cos, which keeps its digits as the angle doubles: v -> 2 v (2 - v).
	versed := more.half(square, 1)
	versed.Neg(versed)
	versed = more.series(versed, square, func(n int64) int64 { return (2*n + 1) * (2*n + 2) })
	for range n {
		v := more.new().Sub(more.int(1), versed)
		sin.Mul(sin, v)
		sin.Add(sin, sin)
		two := more.new().Sub(more.int(2), versed)
		versed.Mul(versed, two)
		versed.Add(versed, versed)
	}
	return c.new().Set(sin), c.new().Sub(more.int(1), versed), nil
}

// power is x^y for x > 0.
func (c *real) power(x, y *big.Float) (*big.Float, error) {
	l := c.ln(x)
	return c.exp(l.Mul(l, y))
}
