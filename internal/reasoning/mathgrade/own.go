package mathgrade

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
)

// OwnAlgebra is the algebra of this package. It computes exactly with rational functions, and numerically with roots,
// powers, pi and logarithms: a difference counts as 0 if it is 0 to 40 digits at 20 points of the complex plane.
// Decimals are floats as in SymPy. A power or a factorial that would take too long is Bounded.
type OwnAlgebra struct{}

// samplePoints is the number of points at which an expression with letters is evaluated.
const samplePoints = 20

// Name implements Algebra.
func (OwnAlgebra) Name() string { return "own" }

// Vanishes implements Algebra.
func (OwnAlgebra) Vanishes(_ context.Context, expression string) (step Step, numeric bool, err error) {
	n, err := parseExpression(expression)
	if err == nil && n.isConstant() {
		return algebraStep(n.sign() == 0), false, nil
	}
	zero := false
	if err == nil {
		numeric = !n.isRational()
		if n.countTranscendentals() > maxTranscendentals {
			return Bounded, false, nil
		}
		zero, err = vanishesAtPoints(n, numeric)
	}
	switch {
	case errors.Is(err, errBounds):
		return Bounded, false, nil
	case errors.Is(err, errUnreadable):
		return Unreadable, false, nil
	}
	return algebraStep(zero && err == nil), numeric && zero, nil
}

func algebraStep(zero bool) Step {
	if zero {
		return AlgebraEqual
	}
	return AlgebraDiffers
}

// vanishesAtPoints evaluates an expression at several points. At least one of them must have a value.
func vanishesAtPoints(n *exprNode, numeric bool) (bool, error) {
	letters := n.appendLetters(nil)
	random := rand.New(rand.NewPCG(1, uint64(len(letters))))
	count := samplePoints
	if len(letters) == 0 {
		count = 1
	}
	defined := 0
	for range count {
		zero, err := false, error(nil)
		if numeric {
			zero, err = zeroNear(n, letters, random)
		} else {
			zero, err = zeroAt(n, letters, random)
		}
		switch {
		case errors.Is(err, errUndefined):
			continue
		case err != nil || !zero:
			return false, err
		}
		defined++
	}
	return defined > count/2, nil
}

// zeroAt reports whether a rational function is 0 at a random point.
func zeroAt(n *exprNode, letters []string, random *rand.Rand) (bool, error) {
	at := map[string]*big.Rat{}
	for _, name := range letters {
		const limit = 1 << 20
		at[name] = big.NewRat(1+random.Int64N(limit), 1+random.Int64N(limit))
		if random.IntN(2) == 0 {
			at[name].Neg(at[name])
		}
	}
	v, err := n.rationalAt(at)
	return err == nil && v.Sign() == 0, err
}

func (n *exprNode) rationalAt(at map[string]*big.Rat) (*big.Rat, error) {
	switch n.kind {
	case constant:
		return n.number.rational(), nil
	case letter:
		return at[n.name], nil
	}
	a, err := n.a.rationalAt(at)
	if err != nil {
		return nil, err
	}
	if n.kind == '^' {
		e, _ := n.b.integer()
		v, err := power(exactNumber(a), e)
		return v.exact, err
	}
	b, err := n.b.rationalAt(at)
	if err != nil {
		return nil, err
	}
	v := new(big.Rat)
	switch n.kind {
	case '+':
		v.Add(a, b)
	case '-':
		v.Sub(a, b)
	case '*':
		v.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return nil, errUndefined
		}
		v.Quo(a, b)
	}
	if max(v.Num().BitLen(), v.Denom().BitLen()) > maxBits {
		return nil, errBounds
	}
	return v, nil
}
