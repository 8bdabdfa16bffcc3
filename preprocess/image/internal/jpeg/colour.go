package jpeg

// guessColourSpace is the meaning of a file's components.
type colourSpace int

const (
	grey colourSpace = iota
	rgb
	ycc
	cmyk
	ycck
)

// guessColourSpace guesses the colour space as libjpeg does: from the JFIF and Adobe segments, otherwise from the
// components' names.
func (d *Decoder) guessColourSpace() colourSpace {
	named := func(names string) bool {
		for i := range len(names) {
			if d.components[i].id != names[i] {
				return false
			}
		}
		return true
	}
	switch {
	case d.frame.componentCount == 1:
		return grey
	case d.frame.componentCount == 4 && d.adobe <= 0: // Adobe's transform 0, or no Adobe segment
		return cmyk
	case d.frame.componentCount == 4:
		return ycck
	case d.jfif:
		return ycc
	case d.adobe == 0, d.adobe < 0 && named("RGB"):
		return rgb
	}
	return ycc
}

// writeRows converts the region to RGB.
func (d *Decoder) writeRows(pix []uint8, r Region) {
	space := d.guessColourSpace()
	for y := r.Y0; y < r.Y1; y++ {
		var c [maxComponents][]uint8
		for i := range d.frame.componentCount {
			c[i] = d.fullRow(i, y, r.X0, r.X1)
		}
		dst := pix[3*(y*d.frame.w+r.X0):][:3*(r.X1-r.X0)]
		switch space {
		case grey:
			interleaveRGB(dst, c[0], c[0], c[0])
		case rgb:
			interleaveRGB(dst, c[0], c[1], c[2])
		case ycc:
			ycc8.storePixels(dst, c[0], c[1], c[2])
		case cmyk:
			interleaveRGB(dst, c[0], c[1], c[2])
			multiplyInk(dst, c[3])
		case ycck:
			ycc8.storePixels(dst, c[0], c[1], c[2])
			for i := range dst {
				dst[i] = 255 - dst[i]
			}
			multiplyInk(dst, c[3])
		}
	}
}

func interleaveRGB(dst, r, g, b []uint8) {
	g, b = g[:len(r)], b[:len(r)]
	for x := range r {
		out := dst[3*x:][:3]
		out[0], out[1], out[2] = r[x], g[x], b[x]
	}
}

// multiplyInk converts ink densities to light as OpenCV does: it multiplies the colours by black. All values are stored
// inverted.
func multiplyInk(dst, black []uint8) {
	for i, v := range dst {
		k := int(black[i/3])
		dst[i] = uint8(k - (255-int(v))*k>>8)
	}
}

// Positions of the three channels of a pixel that are summed in one word: green in bits 0-31 with 16 fraction bits, red
// in bits 32-47, blue in bits 48-63. A channel in 0..255 leaves the bits above its eight clear; a negative one sets
// them.
const (
	greenShift = 16
	redShift   = 32
	blueShift  = 48
	laneGuard  = 0xff00_ff00_ff00_0000
)

// yccTable contains the contributions of Y, Cb and Cr (ITU-T T.871 section 7), rounded to 16 bits and, for red and
// blue, to whole numbers, as in libjpeg's tables:
//
//	R = Y + 1.40200 (Cr-128)
//	G = Y - 0.34414 (Cb-128) - 0.71414 (Cr-128)
//	B = Y + 1.77200 (Cb-128)
type yccTable struct{ y, cb, cr [256]int64 }

// The factors above, with 16 fraction bits.
const (
	crToRed   = 91881
	cbToGreen = -22554
	crToGreen = -46802
	cbToBlue  = 116130
	half      = 1 << 15
)

var ycc8 = func() *yccTable {
	t := new(yccTable)
	for i := range int64(256) {
		x := i - 128
		t.y[i] = i<<greenShift + i<<redShift + i<<blueShift
		t.cb[i] = cbToGreen*x + half + (cbToBlue*x+half)>>16<<blueShift
		t.cr[i] = crToGreen*x + (crToRed*x+half)>>16<<redShift
	}
	return t
}()

// storePixels converts pixels to RGB and stores them.
func (t *yccTable) storePixels(dst, ys, cbs, crs []uint8) {
	cbs, crs = cbs[:len(ys)], crs[:len(ys)]
	for x, i := 0, 0; x < len(ys) && i < len(dst)-2; x, i = x+1, i+3 {
		v := t.y[ys[x]] + t.cb[cbs[x]] + t.cr[crs[x]]
		if uint64(v)&laneGuard != 0 {
			clampPixel((*[3]uint8)(dst[i:]), int(ys[x]), int(cbs[x])-128, int(crs[x])-128)
			continue
		}
		dst[i], dst[i+1], dst[i+2] = uint8(v>>redShift), uint8(v>>greenShift), uint8(v>>blueShift)
	}
}

// clampPixel converts a pixel with a channel outside 0..255.
//
//go:noinline
func clampPixel(out *[3]uint8, y, cb, cr int) {
	out[0] = clampSample(y + (crToRed*cr+half)>>16)
	out[1] = clampSample(y + (cbToGreen*cb+crToGreen*cr+half)>>16)
	out[2] = clampSample(y + (cbToBlue*cb+half)>>16)
}
