package pattern

// triedMemory records failed attempts of a search, with a bit for each step and position. The time of any expression is
// therefore bounded by the number of steps times the length of the text.
type triedMemory struct {
	bits    []uint64
	setBits []int // indices of the set bits
}

const (
	// minRecordedRetries is the number of retries after which a search starts to record them. Tokenizers' expressions need
	// only a few.
	minRecordedRetries = 1000
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
	m.setBits = append(m.setBits, bit)
	return false
}

// keepFirst clears the recorded bits except the first kept ones.
func (m *triedMemory) keepFirst(kept int) {
	for _, bit := range m.setBits[kept:] {
		m.bits[bit/64] &^= 1 << (bit % 64)
	}
	m.setBits = m.setBits[:kept]
}
