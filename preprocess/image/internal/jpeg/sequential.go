package jpeg

// code returns the entry of the next code and passes over the bits that it accounts for. At least 16 bits must count.
func (b *bitReader) code(h *huffman) (uint32, bool) {
	e := h.look[b.acc>>(64-lookBits)]
	if e == 0 {
		var ok bool
		if e, ok = h.long(int(b.acc >> (64 - maxCodeLen))); !ok {
			return 0, false
		}
	}
	b.acc <<= entryBits(e) & 63
	b.n -= entryBits(e)
	return e, true
}

// value returns the signed value of an entry, reading the bits that it does not account for.
func (b *bitReader) value(e uint32) int {
	n := entrySize(e)
	if n == 0 {
		return entryValue(e)
	}
	return extend(b.take(n), n)
}

// difference decodes a DC coefficient's difference to the predictor (T.81 F.2.2.1).
func (b *bitReader) difference(h *huffman) (int, bool) {
	b.refill()
	e, ok := b.code(h)
	return b.value(e), ok && entryRun(e) == 0
}

// sequential decodes a block of a sequential scan (T.81 F.2.2) into blk, which is zero.
func (b *bitReader) sequential(c *component, blk *block) bool {
	diff, ok := b.difference(c.dcTable)
	if !ok {
		return false
	}
	c.dc += diff
	blk[0] = int64(c.dc) * c.scale[0]
	for k := 1; k < blockLen; k++ {
		if b.n < 32 {
			b.refill()
		}
		e, ok := b.code(c.acTable)
		if !ok {
			return false
		}
		v := b.value(e)
		if v == 0 && entryRun(e) != 15 {
			return true // end of block
		}
		k += entryRun(e)
		if k >= blockLen {
			return false
		}
		blk[element[k]] += int64(v) * c.scale[k]
	}
	return true
}

// skip decodes a block whose samples nobody needs.
func (b *bitReader) skip(c *component) bool {
	diff, ok := b.difference(c.dcTable)
	if !ok {
		return false
	}
	c.dc += diff
	for k := 1; k < blockLen; k++ {
		if b.n < 32 {
			b.refill()
		}
		e, ok := b.code(c.acTable)
		if !ok {
			return false
		}
		v := b.value(e)
		if v == 0 && entryRun(e) != 15 {
			return true
		}
		if k += entryRun(e); k >= blockLen {
			return false
		}
	}
	return true
}
