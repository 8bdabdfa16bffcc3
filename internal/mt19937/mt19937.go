// Package mt19937 implements the Mersenne Twister, seeded with one word like NumPy and PyTorch, or like Python.
//
// In scope: 32-bit words. Out of scope: numbers made from the words, and LoadGen's generator (LoadGen must not import
// this package).
package mt19937

// Dimensions of the generator's state, in words of 32 bits.
const (
	stateWords = 624
	shiftWords = 397
)

// Source is the generator of Matsumoto and Nishimura (1998). It is not safe for concurrent use.
type Source struct {
	state [stateWords]uint32
	next  int
}

// New seeds a generator like its authors' init_genrand, numpy.random.seed and torch.manual_seed.
func New(seed uint32) *Source {
	m := &Source{next: stateWords}
	m.state[0] = seed
	for i := uint32(1); i < stateWords; i++ {
		before := m.state[i-1]
		m.state[i] = 1812433253*(before^before>>30) + i
	}
	return m
}

// Uint32 returns the next word.
func (m *Source) Uint32() uint32 {
	if m.next == stateWords {
		m.refillState()
	}
	v := m.state[m.next]
	m.next++
	v ^= v >> 11
	v ^= v << 7 & 0x9d2c5680
	v ^= v << 15 & 0xefc60000
	return v ^ v>>18
}

func (m *Source) refillState() {
	for i := range m.state {
		v := m.state[i]&(1<<31) | m.state[(i+1)%stateWords]&(1<<31-1)
		m.state[i] = m.state[(i+shiftWords)%stateWords] ^ v>>1 ^ v&1*0x9908b0df
	}
	m.next = 0
}
