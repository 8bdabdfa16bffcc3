package tabular

import "math/bits"

// Dimensions of the generator's state, in words of 32 bits.
const (
	stateWords = 624
	shiftWords = 397
)

// mt19937 is the Mersenne Twister of Matsumoto and Nishimura (1998), seeded with one word as its authors' init_genrand
// and numpy.random.seed do.
type mt19937 struct {
	state [stateWords]uint32
	next  int
}

func newMT19937(seed uint32) *mt19937 {
	m := &mt19937{next: stateWords}
	m.state[0] = seed
	for i := uint32(1); i < stateWords; i++ {
		before := m.state[i-1]
		m.state[i] = 1812433253*(before^before>>30) + i
	}
	return m
}

func (m *mt19937) uint32() uint32 {
	if m.next == stateWords {
		m.twist()
	}
	v := m.state[m.next]
	m.next++
	v ^= v >> 11
	v ^= v << 7 & 0x9d2c5680
	v ^= v << 15 & 0xefc60000
	return v ^ v>>18
}

func (m *mt19937) twist() {
	for i := range m.state {
		v := m.state[i]&(1<<31) | m.state[(i+1)%stateWords]&(1<<31-1)
		m.state[i] = m.state[(i+shiftWords)%stateWords] ^ v>>1 ^ v&1*0x9908b0df
	}
	m.next = 0
}

// below returns a number of [0, n), for n of 1 to 2^31, as numpy.random.randint(0, n) does: of as many low bits as n -
// 1 has, draws beyond it are drawn again.
func (m *mt19937) below(n int) int {
	most := uint32(n - 1)
	mask := uint32(1)<<bits.Len32(most) - 1
	if most == 0 {
		return 0
	}
	for {
		if v := m.uint32() & mask; v <= most {
			return int(v)
		}
	}
}
