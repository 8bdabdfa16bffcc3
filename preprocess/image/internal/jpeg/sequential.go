package jpeg

import "encoding/binary"

// code returns the next code and passes over the bits that it accounts for; 0 for bits that are no code. At least
// maxCodeLen bits must count.
func (b *bitReader) code(h *huffman) code {
	c := h.look[b.acc>>(64-lookBits)]
	if c == 0 {
		c = h.long(b.acc)
	}
	b.acc <<= c.bits() & 63
	b.n -= c.bits()
	return c
}

// value returns the signed value of a code, reading the bits that it does not account for.
func (b *bitReader) value(c code) int {
	n := c.size()
	if n == 0 {
		return c.value()
	}
	return extend(b.take(n), n)
}

// difference decodes a DC coefficient's difference to the predictor (T.81 F.2.2.1).
func (b *bitReader) difference(h *huffman) (int, bool) {
	b.refill()
	c := h.look[b.acc>>(64-lookBits)]
	if c == 0 {
		c = h.long(b.acc)
	}
	b.acc <<= c.bits() & 63
	b.n -= c.bits()
	return b.value(c), c != 0 && c.run() == 0
}

// sequential decodes a block of a sequential scan (T.81 F.2.2) into blk, which is zero. It returns the index behind the
// last coefficient that it found, or invalid.
//
// Decoding spends most of its time here, waiting for each look-up to say where the next begins. So a look-up brings up
// to two coefficients, both are stored without asking whether they are there, and indices run past the end of the
// block, where tables are zero, instead of being checked.
func (b *bitReader) sequential(c *component, blk *block) (end int) {
	diff, ok := b.difference(c.dcTable)
	if !ok {
		return invalid
	}
	c.dc += diff
	blk[0] = int64(c.dc) * c.scale[0]
	pairs, scale := &c.acTable.pairs, &c.scale
	buf, pos, acc, n := b.buf, b.pos, b.acc, b.n
	k := uint(1)
	for k < pairsEnd {
		acc |= binary.BigEndian.Uint64(buf[pos:]) >> (n & 63)
		pos += int(63-n) >> 3
		n |= 56
		p := pairs[acc>>(64-lookBits)]
		if p == 0 {
			b.pos, b.acc, b.n = pos, acc, n
			if k = b.single(c, blk, k); k >= blockEnd {
				return blockLength(k)
			}
			pos, acc, n = b.pos, b.acc, b.n
			continue
		}
		acc <<= p & 63
		n -= uint(p & 63)
		k1, k2 := (k+uint(p>>8))&127, (k+uint(p>>16))&127
		blk[element[k1]&31] += int64(int32(p>>32)<<16>>16) * scale[k1]
		blk[element[k2]&31] += int64(p) >> 48 * scale[k2]
		k += uint(p >> 24 & 0xff)
	}
	b.pos, b.acc, b.n = pos, acc, n
	for k < blockLen {
		k = b.single(c, blk, k)
	}
	return blockLength(k)
}

const (
	invalid  = -1
	pairsEnd = blockLen - 16 // from here on the first code of a pair can be the block's last
)

// single decodes one code of a block from coefficient k on and returns the new k.
func (b *bitReader) single(c *component, blk *block, k uint) uint {
	b.refill()
	e := b.code(c.acTable)
	switch {
	case e == 0:
		return 2 * blockEnd
	case e.endsBlock():
		return k + blockEnd
	}
	v := b.value(e)
	k += uint(e.run())
	blk[element[k&127]&31] += int64(v) * c.scale[k&127]
	return k + 1
}

// blockLength returns the index behind the last coefficient where a block's k ended, or invalid where a run led beyond
// the block.
func blockLength(k uint) int {
	switch {
	case k <= blockLen:
		return int(k)
	case k >= blockEnd && k <= blockEnd+blockLen:
		return int(k - blockEnd)
	}
	return invalid
}

// skip decodes a block whose samples nobody needs.
func (b *bitReader) skip(c *component) (end int) {
	diff, ok := b.difference(c.dcTable)
	if !ok {
		return invalid
	}
	c.dc += diff
	var blk block
	pairs := &c.acTable.pairs
	k := uint(1)
	for k < pairsEnd {
		b.refill()
		p := pairs[b.acc>>(64-lookBits)]
		if p == 0 {
			k = b.single(c, &blk, k)
			continue
		}
		b.acc <<= p & 63
		b.n -= uint(p & 63)
		k += uint(p >> 24 & 0xff)
	}
	for k < blockLen {
		k = b.single(c, &blk, k)
	}
	return blockLength(k)
}
