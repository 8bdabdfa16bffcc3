package jpeg

// refineBlock decodes a progressive scan's data for one block (T.81 G.1.2 and G.2).
func (d *Decoder) refineBlock(s *scanHeader, c *colourComponent, coef *[blockLen]int16) bool {
	switch {
	case s.from == 0 && s.high == 0:
		ok := d.bits.readDC(c)
		coef[0] = int16(c.predictor << s.low)
		return ok
	case s.from == 0:
		d.bits.refill()
		coef[0] |= int16(d.bits.takeBits(1) << s.low)
		return true
	case s.high == 0:
		return d.decodeFirstAC(s, c.acTable, coef)
	}
	return d.refineAC(s, c.acTable, coef)
}

// decodeFirstAC decodes the leading bits of AC coefficients.
func (d *Decoder) decodeFirstAC(s *scanHeader, h *huffmanTable, coef *[blockLen]int16) bool {
	if d.eobRun > 0 {
		d.eobRun--
		return true
	}
	for k := s.from; k <= s.to; k++ {
		d.bits.refill()
		e, v := d.bits.readCode(h)
		if e == 0 {
			return false
		}
		run := e.run()
		if v == 0 && run != 15 {
			d.eobRun = d.readEOBRun(run) - 1
			return true
		}
		if k += run; k >= blockLen {
			return false
		}
		coef[k] = int16(v << s.low)
	}
	return true
}

// readEOBRun reads the length, 1 or more, of a run of blocks without further coefficients (T.81 G.1.2.2).
func (d *Decoder) readEOBRun(category int) int {
	return 1<<category + d.bits.takeBits(uint(category))
}

// refineAC decodes one more bit of AC coefficients. A coefficient that becomes non-zero is coded with the number of
// preceding coefficients that remain zero. Each skipped non-zero coefficient has a correction bit (T.81 G.1.2.3).
func (d *Decoder) refineAC(s *scanHeader, h *huffmanTable, coef *[blockLen]int16) bool {
	k := s.from
	for d.eobRun == 0 && k <= s.to {
		d.bits.refill()
		e, v := d.bits.readCode(h)
		if e == 0 || e.size() > 1 {
			return false
		}
		run := e.run()
		if v == 0 && run != 15 {
			d.eobRun = d.readEOBRun(run)
			break
		}
		k = d.readCorrections(s, coef, k, run)
		if v != 0 {
			if k > s.to || v > 1 || v < -1 {
				return false
			}
			coef[k] = int16(v << s.low)
		}
		k++
	}
	if d.eobRun > 0 {
		d.readCorrections(s, coef, k, blockLen)
		d.eobRun--
	}
	return true
}

// readCorrections reads the correction bits of the non-zero coefficients from k on. It skips zeros coefficients that
// are zero and returns the position of the next one, or one past the scan's last coefficient.
func (d *Decoder) readCorrections(s *scanHeader, coef *[blockLen]int16, k, zeros int) int {
	for ; k <= s.to; k++ {
		if coef[k] == 0 {
			if zeros == 0 {
				break
			}
			zeros--
			continue
		}
		if d.bits.validBits == 0 {
			d.bits.refill()
		}
		if d.bits.takeBits(1) == 1 {
			coef[k] += correctionStep(coef[k], s.low)
		}
	}
	return k
}

// correctionStep returns the step away from zero for a correction bit at position low.
func correctionStep(v int16, low int) int16 {
	if v < 0 {
		return -1 << low
	}
	return 1 << low
}

// transformAll converts the coefficients of a progressive file to samples.
func (d *Decoder) transformAll() {
	smooth := d.needsSmoothing()
	for i := range d.frame.componentCount {
		c := &d.components[i]
		for y := c.neededBlocks.y0; y < c.neededBlocks.y1; y++ {
			for x := c.neededBlocks.x0; x < c.neededBlocks.x1; x++ {
				b, end := c.dequantisedBlock(x, y)
				if smooth {
					b, end = c.smoothedBlock(x, y, d.frame.mcusY)
				}
				b.writeSamples(c.plane[blockSide*(y*c.stride+x):], c.stride, end)
			}
		}
	}
}

// dequantisedBlock returns the dequantised coefficients of block x, y and the index after the last non-zero one.
func (c *colourComponent) dequantisedBlock(x, y int) (b dctBlock, end int) {
	return c.dequantise((*[blockLen]int16)(c.coefficients[blockLen*(y*c.stride/blockSide+x):]))
}

func (c *colourComponent) dequantise(coef *[blockLen]int16) (b dctBlock, end int) {
	for k, v := range coef {
		if v != 0 {
			b[elementIndex[k]] += int64(v) * c.scale[k]
			end = k + 1
		}
	}
	return b, end
}
