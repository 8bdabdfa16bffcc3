package igbh

// The official split: its seed, and the share of validation papers in it.
const (
	SplitSeed          = 42
	ValidationFraction = 0.005
)

// Calibration papers are the first of the full data set's permutation.
const calibrationPapers = 5000

// Split is a permutation of the n labelled papers as the official script draws it (the CPU generator of PyTorch,
// seeded with seed): its first 60 % are for training, the next fraction of n for validation. Both are part of one
// list.
func Split(n int, seed uint32, fraction float64) (train, validation []uint32) {
	order := permutation(n, seed)
	end := int(float64(n) * 0.6)
	return order[:end:end], order[end : end+min(int(float64(n)*fraction), n-end)]
}

// Calibration is the papers that models of the full data set may be calibrated with: the first 5,000 of its
// permutation.
func Calibration() []uint32 { return firstOf(labelledFull, calibrationPapers, SplitSeed) }

// firstOf is the first k of the permutation of n.
func firstOf(n, k int, seed uint32) []uint32 {
	moved := map[int]uint32{}
	at := func(i int) uint32 {
		if v, ok := moved[i]; ok {
			return v
		}
		return uint32(i)
	}
	random := newTwister(seed)
	first := make([]uint32, min(n, k))
	for i := range first {
		j := i
		if i < n-1 {
			j += int(random.next()) % (n - i)
		}
		first[i] = at(j)
		moved[j] = at(i)
	}
	return first
}

// permutation is that of torch.randperm on a CPU, for n below 2^32.
func permutation(n int, seed uint32) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	random := newTwister(seed)
	for i := range max(n-1, 0) {
		j := i + int(random.next())%(n-i)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// twister is the Mersenne twister MT19937 (Matsumoto, Nishimura 1998).
type twister struct {
	state [twisterWords]uint32
	at    int
}

const (
	twisterWords = 624
	twisterShift = 397
)

func newTwister(seed uint32) *twister {
	t := &twister{at: twisterWords}
	t.state[0] = seed
	for i := uint32(1); i < twisterWords; i++ {
		before := t.state[i-1]
		t.state[i] = 1812433253*(before^before>>30) + i
	}
	return t
}

func (t *twister) next() uint32 {
	if t.at == twisterWords {
		t.turn()
	}
	y := t.state[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// turn makes the next state of all words.
func (t *twister) turn() {
	for i := range t.state {
		y := t.state[i]&(1<<31) | t.state[(i+1)%twisterWords]&(1<<31-1)
		t.state[i] = t.state[(i+twisterShift)%twisterWords] ^ y>>1 ^ y&1*0x9908b0df
	}
	t.at = 0
}
