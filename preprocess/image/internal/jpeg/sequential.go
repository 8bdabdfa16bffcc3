package jpeg

import "encoding/binary"

// readCode returns the next code and its value, and consumes both. It returns 0 for invalid bits. The bits must be
// valid.
func (b *bitReader) readCode(h *huffmanTable) (lookupCode, int) {
	c, v, n := h.decodeCode(b.accumulator)
	b.accumulator <<= n & 63
	b.validBits -= n
	return c, v
}

// readDC decodes a DC coefficient into c.predictor. It is coded as the difference to the predictor (T.81 F.2.2.1).
func (b *bitReader) readDC(c *colourComponent) bool {
	b.refill()
	e, diff := b.readCode(c.dcTable)
	c.predictor += diff
	return e != 0 && e.run() == 0
}

// readBlock decodes a block of a sequential scan (T.81 F.2.2) into blk, which must be zero. It returns the index after
// the last coefficient, or invalid.
//
// Decoding spends most of its time here, because each look-up determines where the next one starts. A look-up therefore
// decodes up to two coefficients, and both are stored without checking whether they exist. Indices are not checked
// either; after the end of the block, tables contain zeros.
func (b *bitReader) readBlock(c *colourComponent, blk *dctBlock) (end int) {
	if !b.readDC(c) {
		return invalidLength
	}
	h, scale := c.acTable, &c.scale
	blk[0] = int64(c.predictor) * scale[0]
	buf, pos, acc, n := b.data, b.pos, b.accumulator, b.validBits
	k := uint(1)
	for k < blockLen {
		acc |= binary.BigEndian.Uint64(buf[pos:]) >> (n & 63)
		pos += int(63-n) >> 3
		n |= 56
		p := h.pairs[acc>>(64-lookupBits)]
		k1, k2 := k+p.first(), k+p.second()
		if p == 0 || k1 >= blockLen-1 { // the second code may belong to the next block
			c, v, used := h.decodeCode(acc)
			if c == 0 {
				return invalidLength
			}
			acc <<= used & 63
			n -= used
			if c.isBlockEnd() {
				k += blockEnd
				break
			}
			k += uint(c.run())
			blk[elementIndex[k&(maxIndices-1)]&31] += int64(v) * scale[k&(maxIndices-1)]
			k++
			continue
		}
		acc <<= p.bits() & 63
		n -= p.bits()
		blk[elementIndex[k1]&31] += p.value1() * scale[k1]
		blk[elementIndex[k2&(maxIndices-1)]&31] += p.value2() * scale[k2&(maxIndices-1)]
		k += p.advance()
	}
	b.pos, b.accumulator, b.validBits = pos, acc, n
	return blockLength(k)
}

const invalidLength = -1

// blockLength returns the index after the last coefficient for the final k of a block, or invalid if a run exceeded the
// block.
func blockLength(k uint) int {
	switch {
	case k <= blockLen:
		return int(k)
	case k >= blockEnd && k <= blockEnd+blockLen:
		return int(k - blockEnd)
	}
	return invalidLength
}

// skipBlock decodes a block whose samples are not needed.
func (b *bitReader) skipBlock(c *colourComponent) (end int) {
	if !b.readDC(c) {
		return invalidLength
	}
	h := c.acTable
	buf, pos, acc, n := b.data, b.pos, b.accumulator, b.validBits
	k := uint(1)
	for k < blockLen {
		acc |= binary.BigEndian.Uint64(buf[pos:]) >> (n & 63)
		pos += int(63-n) >> 3
		n |= 56
		p := h.pairs[acc>>(64-lookupBits)]
		used, step := p.bits(), p.advance()
		if p == 0 || k+p.first() >= blockLen-1 {
			var e lookupCode
			if e, _, used = h.decodeCode(acc); e == 0 {
				return invalidLength
			}
			step = uint(e.run()) + 1
			if e.isBlockEnd() {
				step = blockEnd
			}
		}
		acc <<= used & 63
		n -= used
		k += step
	}
	b.pos, b.accumulator, b.validBits = pos, acc, n
	return blockLength(k)
}
