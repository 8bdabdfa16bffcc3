package pattern

// triedMemory holds what has been tried in vain in a search: a bit for each step and place. So the time of any
// expression is bounded by its steps and the length of the text.
type triedMemory struct {
	bits  []uint64
	noted []int // the bits that are set
}

const (
	// patience is how many retries a search has before it remembers them: those of tokenizers' expressions need a handful.
	patience = 1000
	// maxBits bounds the memory: 128 MiB.
	maxBits = 1 << 30
)

// noteBit sets a bit, and tells whether it was set. Beyond the bound nothing is noted.
func (m *triedMemory) noteBit(bit int) bool {
	if bit >= maxBits {
		return false
	}
	if need := bit/64 + 1; need > len(m.bits) {
		m.bits = append(m.bits, make([]uint64, need-len(m.bits))...)
	}
	word, mask := &m.bits[bit/64], uint64(1)<<(bit%64)
	if *word&mask != 0 {
		return true
	}
	*word |= mask
	m.noted = append(m.noted, bit)
	return false
}

// forgetAfter clears what has been noted but for the first kept bits.
func (m *triedMemory) forgetAfter(kept int) {
	for _, bit := range m.noted[kept:] {
		m.bits[bit/64] &^= 1 << (bit % 64)
	}
	m.noted = m.noted[:kept]
}
