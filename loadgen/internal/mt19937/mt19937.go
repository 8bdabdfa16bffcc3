// Package mt19937 implements the 32-bit Mersenne Twister (Matsumoto and Nishimura, 1998) with LoadGen's draws:
// integers, unit doubles and shuffles. Each draw consumes exactly as many outputs as in the official program.
package mt19937

import "math"

const (
	size   = 624
	middle = 397
	upper  = 1 << 31
	matrix = 0x9908b0df
)

// DefaultSeed is the seed of a generator without an explicit seed.
const DefaultSeed = 5489

// Source is a generator. It is not safe for concurrent use.
type Source struct {
	state [size]uint32
	next  int
	scale bool // integers are drawn by division, see NewScaled
}

// New returns a generator seeded with the low 32 bits of seed.
func New(seed uint64) *Source {
	s := &Source{next: size}
	x := uint32(seed)
	s.state[0] = x
	for i := 1; i < size; i++ {
		x = 1812433253*(x^x>>30) + uint32(i)
		s.state[i] = x
	}
	return s
}

// NewScaled returns a generator that draws integers like GCC's C++ library before GCC 11. LoadGens built with that
// library drew other samples from the same seeds.
func NewScaled(seed uint64) *Source {
	s := New(seed)
	s.scale = true
	return s
}

// Uint32 returns the next output.
func (s *Source) Uint32() uint32 {
	if s.next == size {
		s.refillState()
	}
	y := s.state[s.next]
	s.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (s *Source) refillState() {
	m := &s.state
	for k := 0; k < size-middle; k++ {
		m[k] = m[k+middle] ^ twistWord(m[k], m[k+1])
	}
	for k := size - middle; k < size-1; k++ {
		m[k] = m[k+middle-size] ^ twistWord(m[k], m[k+1])
	}
	m[size-1] = m[middle-1] ^ twistWord(m[size-1], m[0])
	s.next = 0
}

func twistWord(high, low uint32) uint32 {
	y := high&upper | low&(upper-1)
	return y>>1 ^ (-(y & 1) & matrix)
}

// Below returns an integer in [0, n). It takes the high word of draw*n, with the rejection that makes the result
// exactly uniform (Lemire, 2019). A scaled generator divides the outputs into n equal ranges and rejects outputs beyond
// them. n must not be 0.
func (s *Source) Below(n uint32) uint32 {
	if s.scale {
		return s.scaledBelow(n)
	}
	p := uint64(s.Uint32()) * uint64(n)
	if uint32(p) < n {
		for least := -n % n; uint32(p) < least; {
			p = uint64(s.Uint32()) * uint64(n)
		}
	}
	return uint32(p >> 32)
}

func (s *Source) scaledBelow(n uint32) uint32 {
	width := math.MaxUint32 / n
	for {
		if v := s.Uint32(); v < n*width {
			return v / width
		}
	}
}

// Float64 returns a number in [0, 1) from two outputs. The first output is the low word.
func (s *Source) Float64() float64 {
	low, high := s.Uint32(), s.Uint32()
	u := (float64(low) + float64(high)*(1<<32)) / (1 << 64)
	if u >= 1 {
		return math.Nextafter(1, 0)
	}
	return u
}

// minSingleDraw is the length from which a shuffle draws once for each position. In shorter slices, one draw places two
// elements.
const minSingleDraw = 1 << 16

// Shuffle permutes v. Its length must be below 2^32.
func Shuffle[T any](s *Source, v []T) {
	if len(v) >= minSingleDraw {
		for i := 1; i < len(v); i++ {
			j := s.Below(uint32(i + 1))
			v[i], v[j] = v[j], v[i]
		}
		return
	}
	i := 1
	if len(v)%2 == 0 && len(v) > 0 {
		j := s.Below(2)
		v[1], v[j] = v[j], v[1]
		i = 2
	}
	for ; i < len(v); i += 2 {
		b := uint32(i + 2)
		x := s.Below(uint32(i+1) * b)
		j, k := x/b, x%b
		v[i], v[j] = v[j], v[i]
		v[i+1], v[k] = v[k], v[i+1]
	}
}

// SkipShuffle consumes the outputs that Shuffle of n elements would consume.
func (s *Source) SkipShuffle(n int) {
	if n >= minSingleDraw {
		for i := 1; i < n; i++ {
			s.Below(uint32(i + 1))
		}
		return
	}
	i := 1
	if n%2 == 0 && n > 0 {
		s.Below(2)
		i = 2
	}
	for ; i < n; i += 2 {
		s.Below(uint32(i+1) * uint32(i+2))
	}
}
