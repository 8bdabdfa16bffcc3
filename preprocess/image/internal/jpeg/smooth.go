package jpeg

import "slices"

// libjpeg smooths progressive pictures with missing scans. It estimates the lowest AC coefficients that are zero and
// not completely known from the DC coefficients of the surrounding 5x5 blocks (T.81 K.8 uses 3x3). In components
// without any AC coefficient, it also smooths the DC coefficients. The weights are those of libjpeg-turbo since 2.1, in
// 256ths of the ratio of the quantisation steps.

// smoothedCoefficients is the number of leading coefficients, in zigzag order, that smoothing affects.
const smoothedCoefficients = 10

// neighbourWindow contains a value for each of 5x5 blocks in row order. The block itself is in the middle.
type neighbourWindow [25]int64

// estimateWeights contains the weights if some AC coefficients are known.
var estimateWeights = [smoothedCoefficients]neighbourWindow{
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

// dcOnlyWeights contains the weights if only DC coefficients are known.
var dcOnlyWeights = [smoothedCoefficients]neighbourWindow{
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

// unknownBits is the bit position of a coefficient that occurred in no scan.
const unknownBits = -1

// noteKnown records the lowest bit position of each coefficient in a scan.
func (s *scanHeader) noteKnown() {
	for _, c := range s.components {
		for k := s.from; k <= min(s.to, blockLen-1); k++ {
			c.knownBits[k] = int8(s.low)
		}
	}
}

// IsIncomplete reports whether scans of a progressive file are missing, so that some coefficients are not completely
// known.
func (d *Decoder) IsIncomplete() bool {
	for i := range d.frame.componentCount {
		for _, low := range d.components[i].knownBits {
			if d.frame.progressive && low != 0 {
				return true
			}
		}
	}
	return false
}

// needsSmoothing reports whether libjpeg would smooth: data are missing, all DC coefficients are known, and no
// quantisation step is 0.
func (d *Decoder) needsSmoothing() bool {
	for i := range d.frame.componentCount {
		c := &d.components[i]
		if c.knownBits[0] == unknownBits {
			return false
		}
		for k := range smoothedCoefficients {
			if c.quantStep(k) == 0 {
				return false
			}
		}
	}
	return d.hasMissingEstimates()
}

// hasMissingEstimates reports whether coefficients that could be estimated are missing.
func (d *Decoder) hasMissingEstimates() bool {
	for i := range d.frame.componentCount {
		for _, low := range d.components[i].knownBits[1:smoothedCoefficients] {
			if low != 0 {
				return true
			}
		}
	}
	return false
}

// quantStep returns the quantisation step for a zigzag index.
func (c *colourComponent) quantStep(k int) int64 { return c.scale[k] >> (32 * (zigzag[k] & 1)) }

// knowsOnlyDC reports whether no AC coefficient that smoothing affects is known.
func (c *colourComponent) knowsOnlyDC() bool {
	return !slices.ContainsFunc(c.knownBits[1:smoothedCoefficients], func(low int8) bool { return low != unknownBits })
}

// smoothedBlock is dequantisedBlock with estimates for unknown coefficients.
func (c *colourComponent) smoothedBlock(x, y, mcusY int) (b dctBlock, end int) {
	coef := [blockLen]int16(c.coefficients[blockLen*(y*c.stride/blockSide+x):])
	around := c.neighbourDC(x, y, mcusY)
	if c.knowsOnlyDC() {
		for k := range dcOnlyWeights {
			c.estimateCoefficient(&coef, k, &dcOnlyWeights[k], &around)
		}
	} else {
		for k := 1; k <= 5; k++ {
			c.estimateCoefficient(&coef, k, &estimateWeights[k], &around)
		}
	}
	return c.dequantise(&coef)
}

// estimateCoefficient estimates a coefficient unless it is completely known. DC coefficients are always replaced.
func (c *colourComponent) estimateCoefficient(coef *[blockLen]int16, k int, weights, around *neighbourWindow) {
	low := c.knownBits[k]
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

// neighbourDC returns the DC coefficients of the blocks around block x, y. At the borders of the picture, the outermost
// blocks are repeated.
func (c *colourComponent) neighbourDC(x, y, mcusY int) (w neighbourWindow) {
	rows := c.neighbourRows(y, mcusY)
	for i, row := range rows {
		for j := range rows {
			column := min(max(x+j-2, 0), c.blocksX-1)
			w[len(rows)*i+j] = int64(c.coefficients[blockLen*(row*c.stride/blockSide+column)])
		}
	}
	return w
}

// neighbourRows returns the rows of blocks from y-2 to y+2. Like in libjpeg, rows that only pad the last MCU count if
// they are below rows of other MCUs, and in a picture of two rows of MCUs the second one may use only one row above it.
func (c *colourComponent) neighbourRows(y, mcusY int) [5]int {
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
