package jpeg

import "slices"

// libjpeg smooths progressive pictures of which scans are missing: the lowest AC coefficients that are zero and not
// known to the last bit are estimated from the DC coefficients of the 5x5 blocks around (T.81 K.8 does so with 3x3).
// Where a component has no AC coefficient at all its DC coefficients are smoothed too. The weights are those of
// libjpeg-turbo since 2.1, in 256ths of the ratio of the quantisation steps.

// smoothed is how many coefficients, in zigzag order, take part.
const smoothed = 10

// neighbourWindow holds what belongs to 5x5 blocks, in rows; the middle one is the block itself.
type neighbourWindow [25]int64

// estimates are the weights where some AC coefficients are known.
var estimates = [smoothed]neighbourWindow{
	1: {11 - 1: -7, 12 - 1: 50, 14 - 1: -50, 15 - 1: 7},
	2: {3 - 1: -7, 8 - 1: 50, 18 - 1: -50, 23 - 1: 7},
	3: {3 - 1: -1, 8 - 1: 13, 13 - 1: -24, 18 - 1: 13, 23 - 1: -1},
	4: {
		0, -1, 0, 1, 0,
		-1, 10, 0, -10, 1,
		0, 0, 0, 0, 0,
		1, -10, 0, 10, -1,
		0, 1, 0, -1, 0,
	},
	5: {11 - 1: -1, 12 - 1: 13, 13 - 1: -24, 14 - 1: 13, 15 - 1: -1},
}

// estimatesOfDC are the weights where only DC coefficients are known.
var estimatesOfDC = [smoothed]neighbourWindow{
	{
		-2, -6, -8, -6, -2,
		-6, 6, 42, 6, -6,
		-8, 42, 152, 42, -8,
		-6, 6, 42, 6, -6,
		-2, -6, -8, -6, -2,
	},
	{
		-1, -1, 0, 1, 1,
		-3, 13, 0, -13, 3,
		-3, 38, 0, -38, 3,
		-3, 13, 0, -13, 3,
		-1, -1, 0, 1, 1,
	},
	{
		-1, -3, -3, -3, -1,
		-1, 13, 38, 13, -1,
		0, 0, 0, 0, 0,
		1, -13, -38, -13, 1,
		1, 3, 3, 3, 1,
	},
	{
		0, 0, 1, 0, 0,
		0, 2, 7, 2, 0,
		0, -5, -14, -5, 0,
		0, 2, 7, 2, 0,
		0, 0, 1, 0, 0,
	},
	{
		-1, 0, 0, 0, 1,
		0, 9, 0, -9, 0,
		0, 0, 0, 0, 0,
		0, -9, 0, 9, 0,
		1, 0, 0, 0, -1,
	},
	{
		0, 0, 0, 0, 0,
		0, 2, -5, 2, 0,
		1, 7, -14, 7, 1,
		0, 2, -5, 2, 0,
		0, 0, 0, 0, 0,
	},
	{7 - 1: 1, 9 - 1: -1, 12 - 1: 2, 14 - 1: -2, 17 - 1: 1, 19 - 1: -1},
	{7 - 1: 1, 8 - 1: -3, 9 - 1: 1, 17 - 1: -1, 18 - 1: 3, 19 - 1: -1},
	{7 - 1: 1, 9 - 1: -1, 12 - 1: -3, 14 - 1: 3, 17 - 1: 1, 19 - 1: -1},
	{7 - 1: 1, 8 - 1: 2, 9 - 1: 1, 17 - 1: -1, 18 - 1: -2, 19 - 1: -1},
}

// unknown is the bit position of a coefficient that no scan has brought.
const unknown = -1

// noteKnown keeps what a scan brings: the position of the last bit that is known of each coefficient.
func (s *scanHeader) noteKnown() {
	for _, c := range s.components {
		for k := s.from; k <= min(s.to, blockLen-1); k++ {
			c.known[k] = int8(s.low)
		}
	}
}

// Incomplete says that scans of a progressive file are missing: some coefficients are not known to the last bit.
func (d *Decoder) Incomplete() bool {
	for i := range d.frame.n {
		for _, low := range d.components[i].known {
			if d.frame.progressive && low != 0 {
				return true
			}
		}
	}
	return false
}

// needsSmoothing says whether libjpeg would smooth: something is missing, all DC coefficients are there and no step is
// 0.
func (d *Decoder) needsSmoothing() bool {
	for i := range d.frame.n {
		c := &d.components[i]
		if c.known[0] == unknown {
			return false
		}
		for k := range smoothed {
			if c.quantStep(k) == 0 {
				return false
			}
		}
	}
	return d.missesEstimated()
}

// missesEstimated says whether coefficients that could be estimated are missing.
func (d *Decoder) missesEstimated() bool {
	for i := range d.frame.n {
		for _, low := range d.components[i].known[1:smoothed] {
			if low != 0 {
				return true
			}
		}
	}
	return false
}

// quantStep returns a quantisation step by its zigzag index.
func (c *colourComponent) quantStep(k int) int64 { return c.scale[k] >> (32 * (zigzag[k] & 1)) }

// onlyDC says that no AC coefficient that takes part is known.
func (c *colourComponent) onlyDC() bool {
	return !slices.ContainsFunc(c.known[1:smoothed], func(low int8) bool { return low != unknown })
}

// smoothedBlock is blockAt with estimates in the place of coefficients that are not known.
func (c *colourComponent) smoothedBlock(x, y, mcusY int) (b dctBlock, end int) {
	coef := [blockLen]int16(c.coef[blockLen*(y*c.stride/blockSide+x):])
	around := c.dcAround(x, y, mcusY)
	if c.onlyDC() {
		for k := range estimatesOfDC {
			c.estimateCoefficient(&coef, k, &estimatesOfDC[k], &around)
		}
	} else {
		for k := 1; k <= 5; k++ {
			c.estimateCoefficient(&coef, k, &estimates[k], &around)
		}
	}
	return c.dequantise(&coef)
}

// estimateCoefficient sets a coefficient, unless it is known to be what it is. A DC coefficient is always replaced.
func (c *colourComponent) estimateCoefficient(coef *[blockLen]int16, k int, weights, around *neighbourWindow) {
	low := c.known[k]
	if k > 0 && (low == 0 || coef[k] != 0) {
		return
	}
	var sum int64
	for i, w := range weights {
		sum += w * around[i]
	}
	sum *= c.quantStep(0)
	magnitude := (c.quantStep(k)<<7 + max(sum, -sum)) / (c.quantStep(k) << 8)
	if k > 0 && low > 0 {
		magnitude = min(magnitude, 1<<low-1)
	}
	if sum < 0 {
		magnitude = -magnitude
	}
	coef[k] = int16(magnitude)
}

// dcAround are the DC coefficients of the blocks around one. At the borders of the picture the outermost are repeated.
func (c *colourComponent) dcAround(x, y, mcusY int) (w neighbourWindow) {
	rows := c.rowsAround(y, mcusY)
	for i, row := range rows {
		for j := range rows {
			column := min(max(x+j-2, 0), c.blocksX-1)
			w[len(rows)*i+j] = int64(c.coef[blockLen*(row*c.stride/blockSide+column)])
		}
	}
	return w
}

// rowsAround are the rows of blocks from two above y to two below. As in libjpeg, rows that only fill the last MCU
// count below rows of other MCUs, and in a picture of two rows of MCUs the second may not see further up than one.
func (c *colourComponent) rowsAround(y, mcusY int) [5]int {
	perMCU := c.v
	mcu, in := y/c.v, y%c.v
	if rest := c.blocksY % c.v; mcu == mcusY-1 && rest > 0 {
		perMCU = rest
	}
	at, all := mcu*perMCU+in, mcusY*perMCU
	rows := [5]int{y, y, y, y, y}
	if at > 0 {
		rows[0], rows[1] = y-1, y-1
	}
	if at > 1 {
		rows[0] = y - 2
	}
	if at < all-1 {
		rows[3], rows[4] = y+1, y+1
	}
	if at < all-2 {
		rows[4] = y + 2
	}
	return rows
}
