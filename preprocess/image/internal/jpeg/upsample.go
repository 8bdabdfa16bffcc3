package jpeg

// Chroma planes with half the width, half the height or both are interpolated with a triangle filter, which libjpeg
// calls fancy upsampling. A full-size sample is a quarter of a step from its nearest chroma sample and three quarters
// from the next one, so the weights are 3/4 and 1/4 in each direction. Rounding alternates so that errors cancel on
// average. For other ratios, and for planes of up to two samples width, samples are repeated.

// rowBuffers contains full-size rows of the components and intermediate results.
type rowBuffers struct {
	rows         [maxComponents][]uint8
	mixedColumns []uint16 // columns of two rows mixed 3:1, with one additional value at each end
}

// fancyMinWidth is the minimum width for horizontal interpolation.
const fancyMinWidth = 3

// fullRow returns the full-size samples x0 <= x < x1 of row y of component i.
func (d *Decoder) fullRow(i, y, x0, x1 int) []uint8 {
	c, f := &d.components[i], &d.frame
	dx, dy := f.maxH/c.h, f.maxV/c.v
	if dx == 1 && dy == 1 {
		return c.plane[y*c.stride:][x0:x1]
	}
	buf := resizeSlice(d.rows.rows[i], x1-x0+2*maxSampling)
	d.rows.rows[i] = buf
	first, end := x0/dx, ceilDiv(x1, dx)
	switch {
	case dx == 2 && dy == 1 && c.samplesX >= fancyMinWidth:
		c.widenRow(buf, y, first, end)
	case dx == 2 && dy == 2 && c.samplesX >= fancyMinWidth:
		d.rows.mixedColumns = resizeSlice(d.rows.mixedColumns, end-first+2)
		c.widenMixed(buf, d.rows.mixedColumns, y, first, end)
	case dx == 1 && dy == 2:
		c.mixRows(buf, y, first, end)
	default:
		repeatSamples(buf, c.plane[y/dy*c.stride:][first:end], dx)
	}
	return buf[x0-first*dx:][:x1-x0]
}

// neighbourRow returns the second-nearest row of a half-height plane to full-size row y. The nearest one is y/2.
func (c *colourComponent) neighbourRow(y int) int {
	if y%2 == 0 {
		return max(y/2-1, 0)
	}
	return min(y/2+1, c.samplesY-1)
}

// widenRow doubles the width of samples first to end-1 of row y.
func (c *colourComponent) widenRow(dst []uint8, y, first, end int) {
	row := c.plane[y*c.stride:][:c.samplesX]
	for x := first; x < end; x++ {
		near := 3 * uint(row[x])
		out := dst[2*(x-first):][:2]
		out[0] = uint8((near + uint(row[max(x-1, 0)]) + 1) >> 2)
		out[1] = uint8((near + uint(row[min(x+1, c.samplesX-1)]) + 2) >> 2)
	}
}

// mixRows interpolates samples first to end-1 of full-size row y between rows of a half-height plane.
func (c *colourComponent) mixRows(dst []uint8, y, first, end int) {
	near := c.plane[y/2*c.stride:][first:end]
	far := c.plane[c.neighbourRow(y)*c.stride:][first:end]
	round := 1 + uint(y%2)
	for x, v := range near {
		dst[x] = uint8((3*uint(v) + uint(far[x]) + round) >> 2)
	}
}

// widenMixed interpolates in both directions. sums must have room for end-first+2 values.
func (c *colourComponent) widenMixed(dst []uint8, sums []uint16, y, first, end int) {
	near := c.plane[y/2*c.stride:][:c.samplesX]
	far := c.plane[c.neighbourRow(y)*c.stride:][:c.samplesX]
	lo, hi := max(first-1, 0), min(end+1, c.samplesX)
	for x := lo; x < hi; x++ {
		sums[x-first+1] = 3*uint16(near[x]) + uint16(far[x])
	}
	n := end - first
	if lo == first {
		sums[0] = sums[1]
	}
	if hi == end {
		sums[n+1] = sums[n]
	}
	for x := range n {
		s, out := sums[x:][:3], dst[2*x:][:2]
		out[0] = uint8((3*s[1] + s[0] + 8) >> 4)
		out[1] = uint8((3*s[1] + s[2] + 7) >> 4)
	}
}

// repeatSamples stores each sample times times.
func repeatSamples(dst, row []uint8, times int) {
	for x, v := range row {
		for i := range times {
			dst[times*x+i] = v
		}
	}
}
