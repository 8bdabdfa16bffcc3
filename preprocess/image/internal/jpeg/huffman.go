package jpeg

import "fmt"

// lookBits is the length of the codes, with the value bits that follow, that one table look-up decodes.
const (
	lookBits   = 10
	maxCodeLen = 16
)

// huffman is a Huffman table (T.81 annex C) made for look-up.
type huffman struct {
	defined bool
	// look is indexed by the next lookBits bits. An entry holds
	//	bits 0-7   how many bits it accounts for; 0: the code is longer than lookBits, or there is no such code
	//	bits 8-11  the symbol's high half: the run of zeros
	//	bits 12-15 how many value bits follow that are not accounted for
	//	bits 16-31 the signed value where they are
	look [1 << lookBits]uint32
	// limit is by code length the first 16 bits behind the codes of up to that length, first the index in symbols
	// of a code of that length whose 16 bits would be 0.
	limit   [maxCodeLen + 1]int
	first   [maxCodeLen + 1]int
	symbols [256]uint8
}

// Fields of a look-up entry.
func entryBits(e uint32) uint { return uint(e & 0xff) }
func entryRun(e uint32) int   { return int(e >> 8 & 15) }
func entrySize(e uint32) uint { return uint(e >> 12 & 15) }
func entryValue(e uint32) int { return int(int32(e) >> 16) }
func symbolEntry(symbol uint8, bits int) uint32 {
	return uint32(bits) | uint32(symbol>>4)<<8 | uint32(symbol&15)<<12
}

// readHuffman reads Huffman tables (T.81 B.2.4.2).
func (d *Decoder) readHuffman(b []byte) error {
	for len(b) > 0 {
		class, table := int(b[0]>>4), int(b[0]&15)
		if class > 1 || table >= maxTables || len(b) < 1+maxCodeLen {
			return fmt.Errorf("%w: Huffman table %d of class %d in %d bytes", ErrDamaged, table, class, len(b))
		}
		counts, n := b[1:1+maxCodeLen], 0
		for _, c := range counts {
			n += int(c)
		}
		b = b[1+maxCodeLen:]
		if n > 256 || n > len(b) {
			return fmt.Errorf("%w: Huffman table of %d codes in %d bytes", ErrDamaged, n, len(b))
		}
		if err := d.huff[class][table].build(counts, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// build makes the table of the symbols, of which counts[l-1] have codes of l bits.
func (h *huffman) build(counts, symbols []byte) error {
	copy(h.symbols[:], symbols)
	clear(h.look[:])
	code, next := 0, 0 // the next code, and its symbol
	for l := 1; l <= maxCodeLen; l++ {
		n := int(counts[l-1])
		if code+n > 1<<l {
			return fmt.Errorf("%w: Huffman table with more codes of up to %d bits than there are", ErrDamaged, l)
		}
		h.first[l] = next - code
		if l <= lookBits {
			for i := range n {
				h.enter(code+i, l, symbols[next+i])
			}
		}
		code, next = code+n, next+n
		h.limit[l] = code << (maxCodeLen - l)
		code <<= 1
	}
	h.defined = true
	return nil
}

// enter fills the look-up entries of one code, with its value where that fits.
func (h *huffman) enter(code, l int, symbol uint8) {
	rest := lookBits - l
	base, e := code<<rest, symbolEntry(symbol, l)
	size := int(symbol & 15)
	for i := range 1 << rest {
		h.look[base+i] = e
		if size > 0 && size <= rest {
			value := extend(i>>(rest-size), uint(size))
			h.look[base+i] = uint32(l+size) | e&0x0f00 | uint32(value)<<16
		}
	}
}

// long returns the entry of a code that look does not hold; false where no such code exists. peek is the next 16 bits.
func (h *huffman) long(peek int) (uint32, bool) {
	for l := lookBits + 1; l <= maxCodeLen; l++ {
		if peek < h.limit[l] {
			return symbolEntry(h.symbols[h.first[l]+peek>>(maxCodeLen-l)], l), true
		}
	}
	return 0, false
}
