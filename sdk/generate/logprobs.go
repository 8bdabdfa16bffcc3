package generate

import (
	"fmt"
	"math"
)

// tokenScores contains the model's output for one beam: logits or log probabilities.
type tokenScores struct {
	values   []float32
	maxLogit float32 // the largest logit
	log      float32 // logarithm of the sum of all exp(logit - maxLogit)
}

// newTokenScores converts a row of logits. normal means that they are log probabilities.
func newTokenScores(x []float32, normal bool) (tokenScores, error) {
	if normal {
		if len(x) == 0 || x[0] != x[0] {
			return tokenScores{}, fmt.Errorf("%w: log probabilities are %v", errScores, x[:min(len(x), 1)])
		}
		return tokenScores{values: x}, nil
	}
	maxLogit := float32(math.Inf(-1))
	for _, v := range x {
		if v > maxLogit {
			maxLogit = v
		}
	}
	sum := sumExp(x, maxLogit)
	if maxLogit-maxLogit != 0 || sum-sum != 0 {
		return tokenScores{}, fmt.Errorf("%w: the greatest is %v, the sum of their exponentials %v", errScores, maxLogit, sum)
	}
	return tokenScores{x, maxLogit, float32(math.Log(sum))}, nil
}

// logProb returns the log probability of the token with value v. It rounds to float32 in the same order as PyTorch.
func (r *tokenScores) logProb(v float32) float32 { return (v - r.maxLogit) - r.log }

// toLogProbs converts the values to log probabilities.
func (r *tokenScores) toLogProbs() {
	for i, v := range r.values {
		r.values[i] = r.logProb(v)
	}
	r.maxLogit, r.log = 0, 0
}

// certainToken returns scores that give one token the whole probability. It uses the memory of x.
func certainToken(x []float32, token int32) tokenScores {
	for i := range x {
		x[i] = float32(math.Inf(-1))
	}
	if int(token) < len(x) {
		x[token] = 0
	}
	return tokenScores{values: x}
}

// minValue returns a lower bound of the values of all tokens whose log probability is above p. It allows for the
// rounding in logProb.
func (r *tokenScores) minValue(p float32) float32 {
	if p-p != 0 {
		return float32(math.Inf(-1))
	}
	v := p + r.log + r.maxLogit
	return v - 1e-5*(abs(p)+abs(r.log)+abs(r.maxLogit)+1)
}

// indexAtLeast returns the first index from at on whose value is not below least, or len(x) if there is none.
func indexAtLeast(x []float32, at int, least float32) int {
	for ; at+4 <= len(x); at += 4 {
		if v := x[at : at+4 : at+4]; v[0] >= least || v[1] >= least || v[2] >= least || v[3] >= least {
			break
		}
	}
	for at < len(x) && x[at] < least {
		at++
	}
	return at
}

func abs(v float32) float32 { return max(v, -v) }

// banTokens makes tokens impossible. It ignores tokens that the model does not have.
func (r *tokenScores) banTokens(tokens []int32) {
	for _, id := range tokens {
		if int(id) < len(r.values) {
			r.values[id] = float32(math.Inf(-1))
		}
	}
}

// A power of e is 2^(k/expParts) times the power of a remainder of at most ln 2/(2 expParts), with an integer k. It is
// computed from the table of the fractional powers of 2, an exponent, and a polynomial that is precise to 3e-12.
const (
	expParts    = 128
	minExponent = -60 // exp of smaller values does not change a sum of 1 or more

	// Adding whole to a small number leaves the nearest integer in the last bits of the sum, above those of whole.
	roundingTerm = 3 << 51
	roundingBits = 0x4338000000000000
)

var powerTable = func() (t [expParts]uint64) {
	for i := range t {
		t[i] = math.Float64bits(math.Exp2(float64(i) / expParts))
	}
	return t
}()

// sumExp returns the sum of exp(v - maxLogit) over x. No value may be above maxLogit. If a value is NaN, the result is
// NaN.
func sumExp(x []float32, maxLogit float32) float64 {
	sum := 0.0
	for _, v := range x {
		d := float64(v - maxLogit)
		if d < minExponent {
			continue
		}
		k := d*(expParts/math.Ln2) + roundingTerm
		bits := math.Float64bits(k) - roundingBits
		r := d - (k-roundingTerm)*(math.Ln2/expParts)
		power := math.Float64frombits(powerTable[bits%expParts] + bits/expParts<<52)
		sum += power * (1 + r*(1+r*(0.5+r*(1./6))))
	}
	return sum
}
