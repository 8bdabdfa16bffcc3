package mt19937

import "math/bits"

// NewPython seeds a generator as Python's random.Random does with a whole number: by the authors' init_by_array over
// its one word.
func NewPython(seed uint32) *Source {
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
	for range stateWords {
		s[i] = mix(i, 1664525) + seed
		step()
	}
	for range stateWords - 1 {
		s[i] = mix(i, 1566083941) - i
		step()
	}
	s[0] = 1 << 31
	return m
}

// Below draws a whole number of [0, n) as Python does (randrange, shuffle, sample). n must be above 0.
func (m *Source) Below(n uint32) uint32 {
	for shift := bits.LeadingZeros32(n); ; {
		if v := m.Uint32() >> shift; v < n {
			return v
		}
	}
}

// Sample draws k different whole numbers of [0, n), in the order of Python's random.sample(range(n), k).
func (m *Source) Sample(n, k int) []int {
	drawn := make([]int, k)
	set := 21 // up to here, CPython's list of all takes less memory than a set
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
			j := m.Below(uint32(n - i))
			drawn[i], pool[j] = pool[j], pool[n-i-1]
		}
		return drawn
	}
	there := make(map[int]bool, k)
	for i := range drawn {
		j := int(m.Below(uint32(n)))
		for there[j] {
			j = int(m.Below(uint32(n)))
		}
		there[j], drawn[i] = true, j
	}
	return drawn
}
