// Package pcg64 draws the same numbers as NumPy's default generator from the same seed: PCG64, seeded by SeedSequence,
// with integers by Lemire's method.
//
// In scope: integers below a bound. Out of scope: other distributions, and the generators of older NumPy (package
// mt19937).
//
// Sources: M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
// Generation", 2014 (XSL-RR); M. E. O'Neill, "Developing a seed_seq Alternative", 2015; D. Lemire, "Fast Random Integer
// Generation in an Interval", 2019.
package pcg64

import "math/bits"

// Generator generates the numbers of numpy.random.default_rng(seed). It is not safe for concurrent use.
type Generator struct {
	high, low       uint64 // state
	incHigh, incLow uint64
	upperHalf       uint32 // unused upper half of the last 64-bit number
	hasUpperHalf    bool   // half is valid
}

// New returns the generator for a seed.
func New(seed uint32) *Generator {
	words := seedState(seed)
	g := &Generator{incHigh: words[2]<<1 | words[3]>>63, incLow: words[3]<<1 | 1}
	g.advance()
	var carry uint64
	g.low, carry = bits.Add64(g.low, words[1], 0)
	g.high, _ = bits.Add64(g.high, words[0], carry)
	g.advance()
	return g
}

// poolSize is the number of 32-bit words in the entropy pool of a seed.
const poolSize = 4

// multiplierHash is one of SeedSequence's two sequences of multipliers for mixing words.
type multiplierHash struct{ multiplier, factor uint32 }

// mix mixes a word with the next multiplier.
func (h *multiplierHash) mix(v uint32) uint32 {
	v ^= h.multiplier
	h.multiplier *= h.factor
	v *= h.multiplier
	return v ^ v>>16
}

// seedState computes the state and the increment for a seed, each with its upper half first.
func seedState(seed uint32) (words [4]uint64) {
	in := multiplierHash{0x43b0d7e5, 0x931e8875}
	var pool [poolSize]uint32
	for i, v := range [poolSize]uint32{seed} {
		pool[i] = in.mix(v)
	}
	for from := range pool {
		for to := range pool {
			if from != to {
				v := 0xca01f9dd*pool[to] - 0x4973f715*in.mix(pool[from])
				pool[to] = v ^ v>>16
			}
		}
	}
	out := multiplierHash{0x8b51f9dd, 0x58f38ded}
	for i := range words {
		low := out.mix(pool[2*i%poolSize])
		words[i] = uint64(out.mix(pool[(2*i+1)%poolSize]))<<32 | uint64(low)
	}
	return words
}

// advance multiplies the state by the multiplier and adds the increment, in 128 bits.
func (g *Generator) advance() {
	const high, low = 2549297995355413924, 4865540595714422341
	upper, lower := bits.Mul64(g.low, low)
	upper += g.high*low + g.low*high
	var carry uint64
	g.low, carry = bits.Add64(lower, g.incLow, 0)
	g.high, _ = bits.Add64(upper, g.incHigh, carry)
}

// Uint64 draws 64 bits.
func (g *Generator) Uint64() uint64 {
	g.advance()
	return bits.RotateLeft64(g.high^g.low, -int(g.high>>58))
}

// Uint32 draws 32 bits. It returns the lower half of a 64-bit number first, then the upper half.
func (g *Generator) Uint32() uint32 {
	if g.hasUpperHalf {
		g.hasUpperHalf = false
		return g.upperHalf
	}
	v := g.Uint64()
	g.upperHalf, g.hasUpperHalf = uint32(v>>32), true
	return uint32(v)
}

// Below draws a whole number from 0 to n-1, like integers(0, n) and the index of choice. If n is less than 2, it
// returns 0 and draws no number.
func (g *Generator) Below(n uint32) uint32 {
	if n < 2 {
		return 0
	}
	product := uint64(g.Uint32()) * uint64(n)
	if least := uint32(product); least < n {
		for threshold := -n % n; least < threshold; least = uint32(product) {
			product = uint64(g.Uint32()) * uint64(n)
		}
	}
	return uint32(product >> 32)
}
