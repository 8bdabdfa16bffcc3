package mathgrade

import (
	"errors"
	"math"
	"math/big"
	"strings"
)

// Errors of reading and computing.
var (
	errUnreadable = errors.New("unreadable")
	errBounds     = errors.New("beyond the bounds")
	errUndefined  = errors.New("no number")
)

// The limits of exact arithmetic.
const (
	maxFactorial = 1000
	maxExponent  = 10_000
	maxBits      = 1 << 15 // bits of a numerator or a denominator
)

// number is a constant. It is exact, or a float as in SymPy, whose precision depends on the digits in the text.
type number struct {
	exact *big.Rat
	float *big.Float // nil if the number is exact
}

func exactNumber(r *big.Rat) number { return number{exact: r} }

func wholeNumber(n int64) number { return exactNumber(big.NewRat(n, 1)) }

// parseDecimal parses a number with a point or an exponent. The number of its digits, but at least 15, is the
// precision.
func parseDecimal(text string) (number, error) {
	mantissa, exponent, _ := strings.Cut(text, "e")
	const maxExponentDigits = 4
	if len(strings.TrimLeft(exponent, "+-0")) > maxExponentDigits {
		return number{}, errBounds
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return number{}, errUnreadable
	}
	digits := len(strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0"))
	if !strings.Contains(text, ".") && value.IsInt() {
		digits = max(digits, len(value.Num().String()))
	}
	return number{float: new(big.Float).SetPrec(precisionBits(digits)).SetRat(value)}, nil
}

// precisionBits returns the number of bits that SymPy uses for decimal digits.
func precisionBits(digits int) uint {
	const bitsPerDigit = 3.3219280948873626
	return uint(math.RoundToEven(float64(max(15, digits)+1) * bitsPerDigit))
}

// rational returns the value that SymPy's simplification uses. It converts a float from its decimal digits.
func (n number) rational() *big.Rat {
	if n.exact != nil {
		return n.exact
	}
	const bitsPerDigit = 3.3219280948873626
	digits := int(math.RoundToEven(float64(n.float.Prec())/bitsPerDigit)) - 1
	r, _ := new(big.Rat).SetString(n.float.Text('g', digits))
	return r
}

func (n number) sign() int {
	if n.exact != nil {
		return n.exact.Sign()
	}
	return n.float.Sign()
}

// integer returns the value of an exact integer that fits in an int64.
func (n number) integer() (v int64, ok bool) {
	if n.exact == nil || !n.exact.IsInt() || !n.exact.Num().IsInt64() {
		return 0, false
	}
	return n.exact.Num().Int64(), true
}

// asFloats converts two numbers to floats and returns the precision of a result. An exact number gets the precision of
// the other one.
func asFloats(a, b number) (x, y *big.Float, bits uint) {
	switch {
	case a.exact != nil:
		bits = b.float.Prec()
		return new(big.Float).SetPrec(bits).SetRat(a.exact), b.float, bits
	case b.exact != nil:
		bits = a.float.Prec()
		return a.float, new(big.Float).SetPrec(bits).SetRat(b.exact), bits
	}
	return a.float, b.float, max(a.float.Prec(), b.float.Prec())
}

func (n number) negative() number {
	if n.exact != nil {
		return exactNumber(new(big.Rat).Neg(n.exact))
	}
	return number{float: new(big.Float).Neg(n.float)}
}

func add(a, b number) number {
	if a.exact != nil && b.exact != nil {
		return exactNumber(new(big.Rat).Add(a.exact, b.exact))
	}
	x, y, bits := asFloats(a, b)
	return number{float: new(big.Float).SetPrec(bits).Add(x, y)}
}

func multiply(a, b number) number {
	if a.exact != nil && b.exact != nil {
		return exactNumber(new(big.Rat).Mul(a.exact, b.exact))
	}
	x, y, bits := asFloats(a, b)
	return number{float: new(big.Float).SetPrec(bits).Mul(x, y)}
}

func divide(a, b number) (number, error) {
	if b.sign() == 0 {
		return number{}, errUndefined
	}
	if a.exact != nil && b.exact != nil {
		return exactNumber(new(big.Rat).Quo(a.exact, b.exact)), nil
	}
	if a.exact != nil { // like SymPy: by the reciprocal, which is rounded
		one := new(big.Float).SetPrec(b.float.Prec()).SetInt64(1)
		return multiply(a, number{float: one.Quo(one, b.float)}), nil
	}
	x, y, bits := asFloats(a, b)
	return number{float: new(big.Float).SetPrec(bits).Quo(x, y)}, nil
}

// power returns a to the power of an integer.
func power(a number, n int64) (number, error) {
	if n < 0 {
		if a.sign() == 0 {
			return number{}, errUndefined
		}
		p, err := power(a, -n)
		if err != nil {
			return number{}, err
		}
		if a.exact == nil { // one rounding, at the end
			p.float.SetPrec(a.float.Prec() + guardBits)
			one := new(big.Float).SetPrec(a.float.Prec()).SetInt64(1)
			return number{float: one.Quo(one, p.float)}, nil
		}
		return exactNumber(p.exact.Inv(p.exact)), nil
	}
	if a.exact == nil {
		if n > maxExponent {
			return number{}, errBounds
		}
		bits := a.float.Prec()
		p, square := new(big.Float).SetPrec(bits+guardBits).SetInt64(1), new(big.Float).SetPrec(bits+guardBits).Set(a.float)
		for ; n > 0; n >>= 1 {
			if n&1 != 0 {
				p.Mul(p, square)
			}
			square.Mul(square, square)
		}
		return number{float: p.SetPrec(bits)}, nil
	}
	r, err := rationalPower(a.exact, n)
	return exactNumber(r), err
}

// guardBits is the number of additional bits in a computation of several steps.
const guardBits = 32

// rationalPower returns r to the power of n, which must not be negative.
func rationalPower(r *big.Rat, n int64) (*big.Rat, error) {
	bits := int64(max(r.Num().BitLen(), r.Denom().BitLen()))
	one := r.IsInt() && r.Num().IsInt64() && (r.Num().Int64() == 0 || r.Num().Int64() == 1)
	if !one && r.Num().CmpAbs(r.Denom()) != 0 && (n > maxBits || bits*n > maxBits) {
		return nil, errBounds
	}
	if one && n > 0 {
		return r, nil
	}
	if r.Num().CmpAbs(r.Denom()) == 0 { // 1 or -1
		if n&1 == 0 {
			return big.NewRat(1, 1), nil
		}
		return r, nil
	}
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(r.Num(), e, nil), new(big.Int).Exp(r.Denom(), e, nil)), nil
}

// rationalRoot returns the root of degree n of a number that is not negative, if the root is rational.
func rationalRoot(r *big.Rat, n int64) (*big.Rat, bool) {
	if r.Sign() < 0 {
		return nil, false
	}
	num, ok := integerRoot(r.Num(), n)
	if !ok {
		return nil, false
	}
	den, ok := integerRoot(r.Denom(), n)
	if !ok {
		return nil, false
	}
	return new(big.Rat).SetFrac(num, den), true
}

// integerRoot computes the root of degree n by bisection.
func integerRoot(v *big.Int, n int64) (*big.Int, bool) {
	if v.BitLen() <= 1 { // 0 or 1
		return v, true
	}
	if n >= int64(v.BitLen()) {
		return nil, false
	}
	if n == 2 {
		s := new(big.Int).Sqrt(v)
		return s, new(big.Int).Mul(s, s).Cmp(v) == 0
	}
	degree := big.NewInt(n)
	low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(int64(v.BitLen())/n+1))
	for low.Cmp(high) <= 0 {
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		switch new(big.Int).Exp(middle, degree, nil).Cmp(v) {
		case 0:
			return middle, true
		case -1:
			low = middle.Add(middle, big.NewInt(1))
		default:
			high = middle.Sub(middle, big.NewInt(1))
		}
	}
	return nil, false
}

func factorial(a number) (number, error) {
	n, ok := a.integer()
	switch {
	case a.exact != nil && a.exact.IsInt() && a.sign() < 0:
		return number{}, errUndefined
	case a.exact != nil && a.exact.IsInt() && (!ok || n > maxFactorial):
		return number{}, errBounds
	case !ok:
		return number{}, errUnreadable
	}
	return exactNumber(new(big.Rat).SetInt(new(big.Int).MulRange(1, n))), nil
}
