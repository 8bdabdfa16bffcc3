package mt19937

import (
	"encoding/binary"
	"math/bits"
)

// NewPython seeds a generator like Python's random.seed with a whole number. It applies the authors' init_by_array to
// the words of the seed's magnitude, lowest first.
func NewPython(seed int64) *Source {
	return NewPythonWide(uint64(max(seed, -seed))) // correct for the smallest int64 too: 2^63
}

// NewPythonWide is NewPython for seeds up to 2^64 - 1.
func NewPythonWide(seed uint64) *Source {
	words := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high > 0 {
		words = append(words, high)
	}
	m := New(19650218)
	s := &m.state
	mix := func(i, factor uint32) uint32 {
		before := s[i-1]
		return s[i] ^ (before^before>>30)*factor
	}
	i := uint32(1)
	step := func() {
		if i++; i == stateWords {
			s[0], i = s[stateWords-1], 1
		}
	}
	for k := range stateWords {
		j := k % len(words)
		s[i] = mix(i, 1664525) + words[j] + uint32(j)
		step()
	}
	for range stateWords - 1 {
		s[i] = mix(i, 1566083941) - i
		step()
	}
	s[0] = 1 << 31
	return m
}

// IntBelow returns a whole number in [0, n) with Python's algorithm (randrange, shuffle, sample). n must be at least 1.
func (m *Source) IntBelow(n uint32) uint32 {
	for shift := bits.LeadingZeros32(n); ; {
		if v := m.Uint32() >> shift; v < n {
			return v
		}
	}
}

// Bytes fills dst like Python's random.randbytes.
func (m *Source) Bytes(dst []byte) {
	for ; len(dst) >= 4; dst = dst[4:] {
		binary.LittleEndian.PutUint32(dst, m.Uint32())
	}
	if len(dst) > 0 {
		v := m.Uint32() >> (32 - 8*len(dst))
		for i := range dst {
			dst[i] = byte(v >> (8 * i))
		}
	}
}

// Shuffle shuffles n items into the order of Python's random.shuffle. n must be below 2^32.
func (m *Source) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, int(m.IntBelow(uint32(i+1))))
	}
}

// Sample returns k different whole numbers in [0, n), in the order of Python's random.sample(range(n), k).
func (m *Source) Sample(n, k int) []int {
	drawn := make([]int, k)
	set := 21 // up to this size, a list takes less memory than a set in CPython
	if k > 5 {
		for size := 1; ; size *= 4 {
			if size >= 3*k {
				set += size
				break
			}
		}
	}
	if n <= set {
		pool := make([]int, n)
		for i := range pool {
			pool[i] = i
		}
		for i := range drawn {
			j := m.IntBelow(uint32(n - i))
			drawn[i], pool[j] = pool[j], pool[n-i-1]
		}
		return drawn
	}
	there := make(map[int]bool, k)
	for i := range drawn {
		j := int(m.IntBelow(uint32(n)))
		for there[j] {
			j = int(m.IntBelow(uint32(n)))
		}
		there[j], drawn[i] = true, j
	}
	return drawn
}
