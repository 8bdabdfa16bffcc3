package mathgrade

import (
	"math/big"
	"math/rand/v2"
)

// digits is the number of decimal digits to which two equal values must agree; bits is the precision of the
// computation.
const (
	digits = 40
	bits   = 320
)

// complexNumber is a complex number.
type complexNumber struct{ re, im *big.Float }

// complexField computes with complex numbers. Values beyond the range of big.Float are errUndefined.
type complexField struct {
	*realField
	largest *big.Float // magnitude of the largest term of a sum; the sum may be wrong in the last bits of that term
}

func newComplexField() complexField {
	return complexField{newRealField(bits), new(big.Float).SetPrec(bits)}
}

// recordMagnitude records the magnitude of a term.
func (c complexField) recordMagnitude(z complexNumber) {
	if s := c.absValue(z); s.Cmp(c.largest) > 0 {
		c.largest.Set(s)
	}
}

func (c complexField) realPoint(re *big.Float) complexNumber { return complexNumber{re, c.newInt(0)} }

func (c complexField) checkBounds(z complexNumber) (complexNumber, error) {
	if z.re.IsInf() || z.im.IsInf() {
		return z, errUndefined
	}
	return z, nil
}

func (z complexNumber) isZero() bool { return z.re.Sign() == 0 && z.im.Sign() == 0 }

func (c complexField) add(a, b complexNumber) (complexNumber, error) {
	c.recordMagnitude(a)
	c.recordMagnitude(b)
	return c.checkBounds(complexNumber{c.newFloat().Add(a.re, b.re), c.newFloat().Add(a.im, b.im)})
}

func (c complexField) subtract(a, b complexNumber) (complexNumber, error) {
	c.recordMagnitude(a)
	c.recordMagnitude(b)
	return c.checkBounds(complexNumber{c.newFloat().Sub(a.re, b.re), c.newFloat().Sub(a.im, b.im)})
}

func (c complexField) multiply(a, b complexNumber) (complexNumber, error) {
	parts := [4]*big.Float{
		c.newFloat().Mul(a.re, b.re), c.newFloat().Mul(a.im, b.im), c.newFloat().Mul(a.re, b.im), c.newFloat().Mul(a.im,
			b.re),
	}
	for _, p := range parts {
		if p.IsInf() {
			return complexNumber{}, errUndefined
		}
	}
	return c.checkBounds(complexNumber{c.newFloat().Sub(parts[0], parts[1]), c.newFloat().Add(parts[2], parts[3])})
}

// absValue returns |z|.
func (c complexField) absValue(z complexNumber) *big.Float {
	s, t := c.newFloat().Mul(z.re, z.re), c.newFloat().Mul(z.im, z.im)
	return s.Sqrt(s.Add(s, t))
}

func (c complexField) divide(a, b complexNumber) (complexNumber, error) {
	if b.isZero() {
		return complexNumber{}, errUndefined
	}
	if b.im.Sign() == 0 {
		return c.checkBounds(complexNumber{c.newFloat().Quo(a.re, b.re), c.newFloat().Quo(a.im, b.re)})
	}
	square := c.newFloat().Add(c.newFloat().Mul(b.re, b.re), c.newFloat().Mul(b.im, b.im))
	if square.IsInf() || square.Sign() == 0 {
		return complexNumber{}, errUndefined
	}
	v, err := c.multiply(a, complexNumber{b.re, c.newFloat().Neg(b.im)})
	if err != nil {
		return v, err
	}
	return c.checkBounds(complexNumber{v.re.Quo(v.re, square), v.im.Quo(v.im, square)})
}

func (c complexField) ln(z complexNumber) (complexNumber, error) {
	s := c.absValue(z)
	if s.Sign() == 0 || s.IsInf() {
		return complexNumber{}, errUndefined
	}
	return complexNumber{c.realField.ln(s), c.angle(z.re, z.im)}, nil
}

func (c complexField) exp(z complexNumber) (complexNumber, error) {
	e, err := c.realField.exp(z.re)
	if err != nil {
		return complexNumber{}, err
	}
	sin, cos, err := c.sincos(z.im)
	if err != nil {
		return complexNumber{}, err
	}
	return complexNumber{cos.Mul(cos, e), sin.Mul(sin, e)}, nil
}

// sqrt returns the root whose real part is not negative.
func (c complexField) sqrt(z complexNumber) (complexNumber, error) {
	if z.im.Sign() == 0 {
		r := c.newFloat().Sqrt(c.newFloat().Abs(z.re))
		if z.re.Sign() < 0 {
			return complexNumber{c.newInt(0), r}, nil
		}
		return complexNumber{r, c.newInt(0)}, nil
	}
	// Half of |z| + |re| is the square of the larger part, and im/2 is the product of both parts.
	s := c.absValue(z)
	if s.IsInf() {
		return complexNumber{}, errUndefined
	}
	large := c.half(s.Add(s, c.newFloat().Abs(z.re)), 1)
	large.Sqrt(large)
	small := c.newFloat().Quo(c.half(z.im, 1), large)
	if z.re.Sign() >= 0 {
		return complexNumber{large, small}, nil
	}
	if z.im.Sign() < 0 {
		large.Neg(large)
		small.Neg(small)
	}
	return complexNumber{small, large}, nil
}

// integerPower returns z to the power of n, which must not be negative.
func (c complexField) integerPower(z complexNumber, n int64) (v complexNumber, err error) {
	v = c.realPoint(c.newInt(1))
	for ; n > 0 && err == nil; n >>= 1 {
		if n&1 != 0 {
			if v, err = c.multiply(v, z); err != nil {
				return v, err
			}
		}
		if n > 1 {
			z, err = c.multiply(z, z)
		}
	}
	return v, err
}

// power returns a^b on the principal branch.
func (c complexField) power(a complexNumber, e *exprNode, at map[string]complexNumber) (complexNumber, error) {
	if e.isConstant() {
		r := e.number.rational()
		if r.IsInt() && r.Num().IsInt64() {
			n := r.Num().Int64()
			if n >= 0 {
				return c.integerPower(a, n)
			}
			v, err := c.integerPower(a, -n)
			if err != nil {
				return v, err
			}
			return c.divide(c.realPoint(c.newInt(1)), v)
		}
		if r.Cmp(big.NewRat(1, 2)) == 0 {
			return c.sqrt(a)
		}
	}
	b, err := c.evaluateAt(e, at)
	if err != nil {
		return b, err
	}
	if a.isZero() {
		if b.re.Sign() > 0 {
			return a, nil
		}
		return a, errUndefined
	}
	l, err := c.ln(a)
	if err != nil {
		return l, err
	}
	if l, err = c.multiply(l, b); err != nil {
		return l, err
	}
	return c.exp(l)
}

// evaluateAt returns the value of an expression at a point.
func (c complexField) evaluateAt(n *exprNode, at map[string]complexNumber) (complexNumber, error) {
	switch n.kind {
	case constant:
		return c.realPoint(c.newFloat().SetRat(n.number.rational())), nil
	case letter:
		return at[n.name], nil
	case piConstant:
		return c.realPoint(c.circlePi()), nil
	}
	a, err := c.evaluateAt(n.a, at)
	if err != nil {
		return a, err
	}
	switch n.kind {
	case logarithm:
		return c.ln(a)
	case '^':
		return c.power(a, n.b, at)
	}
	b, err := c.evaluateAt(n.b, at)
	if err != nil {
		return b, err
	}
	switch n.kind {
	case '+':
		return c.add(a, b)
	case '-':
		return c.subtract(a, b)
	case '*':
		return c.multiply(a, b)
	}
	return c.divide(a, b)
}

// zeroNear reports whether an expression is 0 at a random point, within the rounding error. It compares a difference
// with its terms.
func zeroNear(n *exprNode, letters []string, random *rand.Rand) (bool, error) {
	c := newComplexField()
	at := map[string]complexNumber{}
	for _, name := range letters {
		part := func() *big.Float {
			return c.newFloat().SetFloat64((0.25 + 3*random.Float64()) * float64(2*random.IntN(2)-1))
		}
		at[name] = complexNumber{part(), part()}
	}
	difference, err := c.evaluateAt(n, at)
	if err != nil {
		return false, err
	}
	scale := c.newInt(0)
	if n.kind == '+' || n.kind == '-' {
		for _, part := range []*exprNode{n.a, n.b} {
			v, err := c.evaluateAt(part, at)
			if err != nil {
				return false, err
			}
			scale.Add(scale, c.absValue(v))
		}
	}
	if scale.IsInf() || c.largest.IsInf() {
		return false, errUndefined
	}
	ten := c.newInt(10)
	for range digits {
		scale.Quo(scale, ten)
	}
	scale.Add(scale, c.half(c.largest, bits-guardBits))
	return c.absValue(difference).Cmp(scale) <= 0, nil
}
