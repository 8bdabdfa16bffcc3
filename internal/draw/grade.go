package draw

// Light describes the lighting of a picture and the noise of its sensor. Brightness is a multiplier in 1/256 that
// changes linearly across the picture and falls towards the corners. Each channel has its own gain.
type Light struct {
	// Centre is the brightness in the middle; AcrossX and AcrossY are its change over the full width and height.
	Centre, AcrossX, AcrossY int
	// Vignette is the loss of brightness in the corners.
	Vignette int
	// Cast is the gain of each channel, in 1/256.
	Cast Color
	// Grain is the amplitude of the noise common to all channels, and ColorGrain that of each channel's own noise, 0 to
	// 255.
	Grain, ColorGrain int
}

// Grade applies the light to the picture.
func (c *Canvas) Grade(l Light, r *Random) {
	grain := Random(r.Uint64())
	for y := range c.Height {
		l.gradeRow(c.row(y), l.rowLight(c, y), &grain)
	}
}

// rowLight is the brightness along one row, start + x * step, less the vignette. The vignette grows with the distance
// from the middle, in half widths.
type rowLight struct {
	start, step int // in 1/65536
	vignette    int // at the middle of the row, in 1/256
	edge        int // additional loss at the row's ends, in 1/256
	width       int
}

func (l Light) rowLight(c *Canvas, y int) rowLight {
	fromMiddle := (2*y - c.Height) * Unit / c.Height // -256 to 256
	middle := l.Centre + l.AcrossY*fromMiddle/(2*Unit)
	return rowLight{
		start:    (middle - l.AcrossX/2) << 8,
		step:     l.AcrossX << 8 / c.Width,
		vignette: l.Vignette * fromMiddle * fromMiddle >> 17,
		edge:     l.Vignette,
		width:    c.Width,
	}
}

func (l Light) gradeRow(row []uint8, at rowLight, grain *Random) {
	light, slope := at.start, 2*Unit*Unit/at.width
	fromMiddle := -Unit * Unit
	for i := 0; i+2 < len(row); i += 3 {
		out := at.edge * (fromMiddle >> 8) * (fromMiddle >> 8) >> 17
		gain := light>>8 - at.vignette - out
		bits := grain.Uint64()
		common := l.Grain * triangularNoise(bits)
		row[i] = clamp((int(row[i])*gain*l.Cast.R + common + l.ColorGrain*triangularNoise(bits>>16)) >> 16)
		row[i+1] = clamp((int(row[i+1])*gain*l.Cast.G + common + l.ColorGrain*triangularNoise(bits>>32)) >> 16)
		row[i+2] = clamp((int(row[i+2])*gain*l.Cast.B + common + l.ColorGrain*triangularNoise(bits>>48)) >> 16)
		light += at.step
		fromMiddle += slope
	}
}

// triangularNoise returns a number of -65280 to 65280 with a triangular distribution, from the low 16 bits of bits.
func triangularNoise(bits uint64) int { return (int(bits&255) - int(bits>>8&255)) << 8 }
