package pattern

// triedMemory records failed attempts of a search, with a bit for each step and position. The time of any expression is
// therefore bounded by the number of steps times the length of the text.
type triedMemory struct {
	bits  []uint64
	noted []int // indices of the set bits
}

const (
	// patience is the number of retries after which a search starts to record them. Tokenizers' expressions need only a
	// few.
	patience = 1000
	// maxBits limits the memory to 128 MiB.
	maxBits = 1 << 30
)

// noteBit sets a bit and reports whether it was set before. Above the limit, it does nothing.
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

// forgetAfter clears the recorded bits except the first kept ones.
func (m *triedMemory) forgetAfter(kept int) {
	for _, bit := range m.noted[kept:] {
		m.bits[bit/64] &^= 1 << (bit % 64)
	}
	m.noted = m.noted[:kept]
}
