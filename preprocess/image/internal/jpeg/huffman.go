package jpeg

import (
	"bytes"
	"fmt"
)

// lookupBits is the number of bits that one table look-up decodes: a code and the value bits that follow.
const (
	lookupBits = 11
	maxCodeLen = 16
)

// huffmanTable is a Huffman table (T.81 annex C), prepared for look-ups.
type huffmanTable struct {
	defined    bool
	definition []byte                      // definition in the file: counts by length, and symbols; owned by the table
	codes      [1 << lookupBits]lookupCode // indexed by the next lookupBits bits
	pairs      [1 << lookupBits]codePair   // for AC coefficients: the same for two symbols at a time
	// codeLimits contains, for each code length, the first 16 bits after all codes of up to that length. first contains
	// the index among the symbols of a code of that length whose 16 bits would be 0.
	codeLimits   [maxCodeLen + 1]int
	firstIndices [maxCodeLen + 1]int
}

// lookupCode is a decoded code. From the low bits on, it contains:
//
//	8 bits   number of bits that it decodes; 0: the code is too long or does not exist
//	4 bits   the symbol's high half: the run of zeros
//	4 bits   number of value bits that follow and are not decoded
//	16 bits  the signed value if its bits are decoded
type lookupCode uint32

func newCode(symbol uint8, bits int) lookupCode {
	return lookupCode(bits) | lookupCode(symbol>>4)<<8 | lookupCode(symbol&15)<<12
}

func (c lookupCode) bits() uint { return uint(c & 0xff) }
func (c lookupCode) run() int   { return int(c >> 8 & 15) }
func (c lookupCode) size() uint { return uint(c >> 12 & 15) }
func (c lookupCode) value() int { return int(int32(c) >> 16) }

// withValue returns c with its value included.
func (c lookupCode) withValue(v int) lookupCode {
	return lookupCode(c.bits()+c.size()) | c&0x0f00 | lookupCode(uint32(v))<<16
}

// isBlockEnd reports whether c means that the remaining coefficients of the block are zero.
func (c lookupCode) isBlockEnd() bool { return c&^0xff == 0 }

// readHuffman reads Huffman tables (T.81 B.2.4.2).
func (d *Decoder) readHuffman(b []byte) error {
	for len(b) > 0 {
		class, table := int(b[0]>>4), int(b[0]&15)
		if class > 1 || table >= maxTables || len(b) < 1+maxCodeLen {
			return fmt.Errorf("%w: Huffman table %d of class %d in %d bytes", ErrDamaged, table, class, len(b))
		}
		n := 1 + maxCodeLen
		for _, c := range b[1:n] {
			n += int(c)
		}
		if n > 1+maxCodeLen+256 || n > len(b) {
			return fmt.Errorf("%w: Huffman table of %d codes in %d bytes", ErrDamaged, n-1-maxCodeLen, len(b))
		}
		if err := d.huffmanTable(class, table).define(b[1:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// huffmanTable returns a Huffman table of the decoder, which may be undefined.
func (d *Decoder) huffmanTable(class, number int) *huffmanTable {
	h := &d.huffmanTables[class][number]
	if *h == nil {
		*h = new(huffmanTable)
	}
	return *h
}

// define builds the table that spec describes. It keeps an existing table with the same definition, because most
// files of a collection have the same tables.
func (h *huffmanTable) define(spec []byte) error {
	if bytes.Equal(spec, h.definition) {
		h.defined = true
		return nil
	}
	h.definition = h.definition[:0]
	if err := h.buildTable(spec[:maxCodeLen], spec[maxCodeLen:]); err != nil {
		return err
	}
	h.buildPairs()
	h.definition, h.defined = append(h.definition, spec...), true
	return nil
}

// buildTable builds the table of the symbols. counts[l-1] is the number of codes with l bits.
func (h *huffmanTable) buildTable(counts, symbols []byte) error {
	clear(h.codes[:])
	next, index := 0, 0 // next code and the index of its symbol
	for l := 1; l <= maxCodeLen; l++ {
		n := int(counts[l-1])
		if next+n > 1<<l {
			return fmt.Errorf("%w: Huffman table with more codes of up to %d bits than there are", ErrDamaged, l)
		}
		h.firstIndices[l] = index - next
		if l <= lookupBits {
			for i := range n {
				h.enterCode(next+i, l, symbols[index+i])
			}
		}
		next, index = next+n, index+n
		h.codeLimits[l] = next << (maxCodeLen - l)
		next <<= 1
	}
	return nil
}

// enterCode fills the look-up entries of a code of l bits, including its value if it fits.
func (h *huffmanTable) enterCode(bits, l int, symbol uint8) {
	rest := lookupBits - l
	c := newCode(symbol, l)
	entries := h.codes[bits<<rest:][:1<<rest]
	size := int(c.size())
	for i := range entries {
		entries[i] = c
		if size > 0 && size <= rest {
			entries[i] = c.withValue(signExtend(i>>(rest-size), uint(size)))
		}
	}
}

// decodeLongCode decodes a code that is too long for the look-up table. It returns 0 if there is no such code. acc
// starts with its bits.
func (h *huffmanTable) decodeLongCode(acc uint64) lookupCode {
	peek := int(acc >> (64 - maxCodeLen))
	for l := lookupBits + 1; l <= maxCodeLen; l++ {
		if peek < h.codeLimits[l] {
			return newCode(h.definition[maxCodeLen+h.firstIndices[l]+peek>>(maxCodeLen-l)], l)
		}
	}
	return 0
}

// decodeCode returns the code at the start of acc, its value, and the length of both. For invalid bits, the code is 0.
func (h *huffmanTable) decodeCode(acc uint64) (c lookupCode, value int, bits uint) {
	c = h.codes[acc>>(64-lookupBits)]
	if c == 0 {
		c = h.decodeLongCode(acc)
	}
	n := c.size()
	if n == 0 {
		return c, c.value(), c.bits()
	}
	acc <<= c.bits() & 63
	return c, signExtend(int(acc>>(64-n)), n), c.bits() + n
}

// codePair contains the next AC coefficients that one look-up decodes. k is the index of the next coefficient. From the
// low bits on:
//
//	8 bits    number of bits that it decodes; 0: not usable, decode the codes one by one
//	8 bits    the first coefficient has index k plus this
//	8 bits    the same for the second
//	8 bits    increment of k; blockEnd or more if the other coefficients are zero
//	16 bits   signed value of the first coefficient, or 0 if there is none
//	16 bits   signed value of the second
type codePair uint64

func (p codePair) bits() uint    { return uint(p & 0xff) }
func (p codePair) first() uint   { return uint(p >> 8 & 0xff) }
func (p codePair) second() uint  { return uint(p >> 16 & 0xff) }
func (p codePair) advance() uint { return uint(p >> 24 & 0xff) }
func (p codePair) value1() int64 { return int64(int32(p>>32) << 16 >> 16) }
func (p codePair) value2() int64 { return int64(p) >> 48 }

// blockEnd is added to k at the end of a block.
const blockEnd = 128

// toCodePair returns the pair that contains only c.
func toCodePair(c lookupCode) codePair {
	switch {
	case c == 0 || c.size() > 0:
		return 0
	case c.isBlockEnd():
		return codePair(c.bits()) | blockEnd<<24
	}
	run := codePair(c.run())
	return codePair(c.bits()) | run<<8 | run<<16 | (run+1)<<24 | codePair(uint16(c.value()))<<32
}

// append returns p followed by q.
func (p codePair) append(q codePair) codePair {
	at := p.advance() // start of q
	return p&(0xffff<<32|0xff00) | codePair(p.bits()+q.bits()) | codePair(at+q.first())<<16 |
		codePair(at+q.advance())<<24 | q>>32<<48
}

// buildPairs builds the table of pairs from the table of codes.
func (h *huffmanTable) buildPairs() {
	for i, c := range h.codes {
		p := toCodePair(c)
		if p != 0 && !c.isBlockEnd() {
			q := toCodePair(h.codes[i<<c.bits()&(1<<lookupBits-1)])
			if q != 0 && p.bits()+q.bits() <= lookupBits {
				p = p.append(q)
			}
		}
		h.pairs[i] = p
	}
}
