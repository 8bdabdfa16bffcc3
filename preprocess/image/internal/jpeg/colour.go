package jpeg

// colourSpace is what a file's components are.
type colourSpace int

const (
	grey colourSpace = iota
	rgb
	ycc
	cmyk
	ycck
)

// colourSpace guesses as libjpeg does: from the JFIF and Adobe segments, else from the components' names.
func (d *Decoder) colourSpace() colourSpace {
	named := func(names string) bool {
		for i := range len(names) {
			if d.components[i].id != names[i] {
				return false
			}
		}
		return true
	}
	switch {
	case d.frame.n == 1:
		return grey
	case d.frame.n == 4 && d.adobe <= 0: // Adobe's transform 0, or no Adobe segment
		return cmyk
	case d.frame.n == 4:
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
	space := d.colourSpace()
	for y := r.Y0; y < r.Y1; y++ {
		var c [maxComponents][]uint8
		for i := range d.frame.n {
			c[i] = d.fullRow(i, y, r.X0, r.X1)
		}
		dst := pix[3*(y*d.frame.w+r.X0):][:3*(r.X1-r.X0)]
		switch space {
		case grey:
			interleave(dst, c[0], c[0], c[0])
		case rgb:
			interleave(dst, c[0], c[1], c[2])
		case ycc:
			convertYCC(dst, c[0], c[1], c[2])
		case cmyk:
			interleave(dst, c[0], c[1], c[2])
			multiply(dst, c[3])
		case ycck:
			convertYCC(dst, c[0], c[1], c[2])
			for i := range dst {
				dst[i] = 255 - dst[i]
			}
			multiply(dst, c[3])
		}
	}
}

func interleave(dst, r, g, b []uint8) {
	g, b = g[:len(r)], b[:len(r)]
	for x := range r {
		out := dst[3*x:][:3]
		out[0], out[1], out[2] = r[x], g[x], b[x]
	}
}

// multiply turns ink densities into light as OpenCV does: the colours, stored inverted, times black, stored inverted.
func multiply(dst, black []uint8) {
	for i, v := range dst {
		k := int(black[i/3])
		dst[i] = uint8(k - (255-int(v))*k>>8)
	}
}

// lanes adds up the three channels of a pixel in one word: green in bits 0-31 with 16 fraction bits, red in bits 32-47,
// blue in bits 48-63. A channel within 0..255 leaves the bits above its eight clear; a negative one sets them.
const (
	greenShift = 16
	redShift   = 32
	blueShift  = 48
	laneGuard  = 0xff00_ff00_ff00_0000
)

// yccTables holds the contributions of Y, Cb and Cr (ITU-T T.871 section 7), rounded to 16 bits and, for red and blue,
// to whole numbers, as libjpeg's tables are:
//
//	R = Y + 1.40200 (Cr-128)
//	G = Y - 0.34414 (Cb-128) - 0.71414 (Cr-128)
//	B = Y + 1.77200 (Cb-128)
var yccTables = func() (t struct{ y, cb, cr [256]int64 }) {
	const half = 1 << 15
	fix := func(f float64) int64 { return int64(f*(1<<16) + 0.5) }
	for i := range int64(256) {
		x := i - 128
		t.y[i] = i<<greenShift + i<<redShift + i<<blueShift
		t.cb[i] = -fix(0.34414)*x + half + (fix(1.77200)*x+half)>>16<<blueShift
		t.cr[i] = -fix(0.71414)*x + (fix(1.40200)*x+half)>>16<<redShift
	}
	return t
}()

func convertYCC(dst, ys, cbs, crs []uint8) {
	t := &yccTables
	cbs, crs = cbs[:len(ys)], crs[:len(ys)]
	for x, y := range ys {
		v := t.y[y] + t.cb[cbs[x]] + t.cr[crs[x]]
		out := dst[3*x:][:3]
		if uint64(v)&laneGuard != 0 {
			clampPixel(out, int(y), int(cbs[x])-128, int(crs[x])-128)
			continue
		}
		out[0], out[1], out[2] = uint8(v>>redShift), uint8(v>>greenShift), uint8(v>>blueShift)
	}
}

// clampPixel converts a pixel of which a channel leaves 0..255.
func clampPixel(out []uint8, y, cb, cr int) {
	const half = 1 << 15
	out[0] = clamp(y + (91881*cr+half)>>16)
	out[1] = clamp(y + (-22554*cb-46802*cr+half)>>16)
	out[2] = clamp(y + (116130*cb+half)>>16)
}
