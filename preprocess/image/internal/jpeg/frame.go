package jpeg

import "fmt"

// frameHeader contains the values of a start-of-frame segment (T.81 B.2.2).
type frameHeader struct {
	w, h           int
	componentCount int // number of components
	progressive    bool
	maxH, maxV     int // the largest sampling factors
	mcusX          int // minimum coded units per row and column of an interleaved scan
	mcusY          int
}

// colourComponent is a colour component. Sizes are in samples or in blocks of 8x8 samples.
type colourComponent struct {
	id         uint8
	h, v       int // sampling factors
	quantIndex int // index of the quantisation table

	samplesX, samplesY int // size in samples
	blocksX, blocksY   int // number of blocks that contain samples, which is the size of a non-interleaved scan
	stride             int // samples per row of the plane, rounded up to whole MCUs

	neededBlocks blockRange // blocks that the needed region requires
	plane        []uint8
	coefficients []int16        // progressive: coefficients in zigzag order, block after block
	scale        dequantTable   // quantisation table at the start of the first scan
	started      bool           // a scan has begun
	knownBits    [blockLen]int8 // progressive: lowest known bit position of each coefficient, or unknown
	predictor    int            // DC predictor

	dcTable, acTable *huffmanTable // tables of the current scan
}

// blockRange is the rectangle of blocks x0 <= x < x1, y0 <= y < y1.
type blockRange struct{ x0, y0, x1, y1 int }

func (r blockRange) contains(x, y int) bool { return x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1 }

// setSizes computes the sizes that follow from the frame's sampling factors (T.81 A.1.1, A.2).
func (d *Decoder) setSizes() error {
	f := &d.frame
	f.maxH, f.maxV = 1, 1
	for i := range f.componentCount {
		f.maxH, f.maxV = max(f.maxH, d.components[i].h), max(f.maxV, d.components[i].v)
	}
	f.mcusX, f.mcusY = ceilDiv(f.w, blockSide*f.maxH), ceilDiv(f.h, blockSide*f.maxV)
	for i := range f.componentCount {
		c := &d.components[i]
		if f.maxH%c.h != 0 || f.maxV%c.v != 0 {
			return fmt.Errorf("%w: sampling %dx%d of component %d beside %dx%d, want whole-number ratios", ErrUnsupported, c.h,
				c.v, i, f.maxH, f.maxV)
		}
		c.samplesX, c.samplesY = ceilDiv(f.w*c.h, f.maxH), ceilDiv(f.h*c.v, f.maxV)
		c.blocksX, c.blocksY = ceilDiv(c.samplesX, blockSide), ceilDiv(c.samplesY, blockSide)
		c.stride = f.mcusX * c.h * blockSide
	}
	return nil
}

// prepareRegion allocates the memory for decoding the region.
func (d *Decoder) prepareRegion(r Region) error {
	f := &d.frame
	if r.X0 < 0 || r.Y0 < 0 || r.X1 > f.w || r.Y1 > f.h || r.X0 >= r.X1 || r.Y0 >= r.Y1 {
		return fmt.Errorf("region %v of a %dx%d picture", r, f.w, f.h)
	}
	for i := range f.componentCount {
		c := &d.components[i]
		c.neededBlocks = c.neededRange(r, f)
		c.plane = resizeSlice(c.plane, c.stride*c.neededBlocks.y1*blockSide)
		if f.progressive {
			c.coefficients = resizeSlice(c.coefficients, c.stride/blockSide*f.mcusY*c.v*blockLen)
			clear(c.coefficients)
		}
	}
	return nil
}

// CheckLength returns an error if the opened file is too short for its size, before memory for pixels is allocated.
// Every block of a sequential file needs two bits or more, and every block of a progressive file's first component one
// bit or more.
func (d *Decoder) CheckLength() error {
	minBits := 0
	if d.frame.progressive {
		minBits = d.components[0].blocksX * d.components[0].blocksY
	} else {
		for i := range d.frame.componentCount {
			minBits += 2 * d.components[i].blocksX * d.components[i].blocksY
		}
	}
	if left := 8 * (len(d.data) - d.position); left < minBits {
		return fmt.Errorf("%w: %d bytes of data for %dx%d pixels", ErrDamaged, left/8, d.frame.w, d.frame.h)
	}
	return nil
}

// neededRange returns the blocks of c that the pixels of r depend on, including one more sample on each side for
// upsampling.
func (c *colourComponent) neededRange(r Region, f *frameHeader) blockRange {
	const margin = 1
	return blockRange{
		x0: max(r.X0*c.h/f.maxH-margin, 0) / blockSide,
		y0: max(r.Y0*c.v/f.maxV-margin, 0) / blockSide,
		x1: ceilDiv(min(ceilDiv(r.X1*c.h, f.maxH)+margin, c.samplesX), blockSide),
		y1: ceilDiv(min(ceilDiv(r.Y1*c.v, f.maxV)+margin, c.samplesY), blockSide),
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// resizeSlice returns s with length n and undefined content.
func resizeSlice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
