package jpeg

// dctBlock contains the dequantised coefficients of 8x8 samples, with two neighbouring columns in one word: element
// 4*v+u/2 is F(u) + F(u+1)<<32 for even u, where u is the horizontal and v the vertical frequency. Sums, differences
// and products with constants apply to both halves, so one multiplication serves two columns. A borrow from the lower
// half is undone when the half is extracted.
type dctBlock [blockLen / 2]int64

// dequantTable contains, by zigzag index, the factor that scales a coefficient and shifts it to its half of a block's
// element.
type dequantTable [maxIndices]int64

// maxIndices is a power of two above every index to which a run of zeros in damaged data can lead.
const maxIndices = 128

// zigzag maps coefficient k to its position in a block in row order (T.81 figure A.6).
var zigzag = [blockLen]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// elementIndex maps coefficient k to the index of its element in a dctBlock.
var elementIndex = func() (e [maxIndices]uint8) {
	for k := range e {
		e[k] = zigzag[min(k, blockLen-1)] / 2
	}
	return e
}()

func (q *dequantTable) setTable(t *quantTable) {
	for k, step := range t.step {
		q[k] = int64(step) << (32 * (zigzag[k] & 1))
	}
}

// Fixed-point constants with 13 bits, named after figure 1 and the appendix of Loeffler, Ligtenberg and Moschytz,
// "Practical Fast 1-D DCT Algorithms with 11 Multiplications", ICASSP 1989. They are sums of cosines times the square
// root of 2. Their rounding to 13 bits and the two intermediate roundings below define libjpeg's accurate integer
// inverse DCT.
const (
	constBits = 13
	passBits  = 2 // additional bits kept between the passes

	fix0_298631336 = 2446
	fix0_390180644 = 3196
	fix0_541196100 = 4433
	fix0_765366865 = 6270
	fix0_899976223 = 7373
	fix1_175875602 = 9633
	fix1_501321110 = 12299
	fix1_847759065 = 15137
	fix1_961570560 = 16069
	fix2_053119869 = 16819
	fix2_562915447 = 20995
	fix3_072711026 = 25172
)

// both has the value 1 in both halves, so v*both contains v twice.
const both = 1<<32 + 1

// inverseDCT computes the 1-D inverse DCT of both halves of eight words. The results are scaled by 2^13, and bias is
// added.
func inverseDCT(i0, i1, i2, i3, i4, i5, i6, i7, bias int64) (o0, o1, o2, o3, o4, o5, o6, o7 int64) {
	// Even part.
	z := (i2 + i6) * fix0_541196100
	e2 := z - i6*fix1_847759065
	e3 := z + i2*fix0_765366865
	e0 := (i0+i4)<<constBits + bias
	e1 := (i0-i4)<<constBits + bias
	a0, a3 := e0+e3, e0-e3
	a1, a2 := e1+e2, e1-e2
	// Odd part.
	z5 := (i7 + i3 + i5 + i1) * fix1_175875602
	z1 := (i7 + i1) * -fix0_899976223
	z2 := (i5 + i3) * -fix2_562915447
	z3 := (i7+i3)*-fix1_961570560 + z5
	z4 := (i5+i1)*-fix0_390180644 + z5
	b0 := i7*fix0_298631336 + z1 + z3
	b1 := i5*fix2_053119869 + z2 + z4
	b2 := i3*fix3_072711026 + z2 + z3
	b3 := i1*fix1_501321110 + z1 + z4
	return a0 + b3, a1 + b2, a2 + b1, a3 + b0, a3 - b0, a2 - b1, a1 - b2, a0 - b3
}

// inverseDCTLow is inverseDCT for words whose upper four are zero. It computes the same sums with combined constants.
func inverseDCTLow(i0, i1, i2, i3, bias int64) (o0, o1, o2, o3, o4, o5, o6, o7 int64) {
	e2 := i2 * fix0_541196100
	e3 := i2 * (fix0_541196100 + fix0_765366865)
	e := i0<<constBits + bias
	a0, a3 := e+e3, e-e3
	a1, a2 := e+e2, e-e2
	b0 := i1*(fix1_175875602-fix0_899976223) + i3*(fix1_175875602-fix1_961570560)
	b1 := i1*(fix1_175875602-fix0_390180644) + i3*(fix1_175875602-fix2_562915447)
	b2 := i1*fix1_175875602 + i3*(fix3_072711026-fix2_562915447-fix1_961570560+fix1_175875602)
	b3 := i1*(fix1_501321110-fix0_899976223-fix0_390180644+fix1_175875602) + i3*fix1_175875602
	return a0 + b3, a1 + b2, a2 + b1, a3 + b0, a3 - b0, a2 - b1, a1 - b2, a0 - b3
}

// lowEnd is the number of leading coefficients in zigzag order that are in the first four rows and columns.
const lowEnd = 10

// writeSamples writes the samples of a block to the 8x8 bytes at dst, whose rows are stride apart. Coefficients from
// zigzag index end on must be zero.
func (b *dctBlock) writeSamples(dst []uint8, stride, end int) {
	if end <= 1 {
		b.writeFlat(dst, stride)
		return
	}
	var ws [blockLen / 2]int64 // element 8*(y/2)+u contains rows y and y+1 of column u
	low := end <= lowEnd
	if low {
		b.transformColumnsLow(&ws)
	} else {
		b.transformColumns(&ws)
	}
	for y := 0; y < blockSide; y += 2 {
		in := (*[blockSide]int64)(ws[blockSide/2*y:])
		upper, lower := (*[blockSide]uint8)(dst[y*stride:]), (*[blockSide]uint8)(dst[(y+1)*stride:])
		if low {
			o0, o1, o2, o3, o4, o5, o6, o7 := inverseDCTLow(in[0], in[1], in[2], in[3], rowBias)
			writeRows(upper, lower, o0, o1, o2, o3, o4, o5, o6, o7)
		} else {
			o0, o1, o2, o3, o4, o5, o6, o7 := inverseDCT(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], rowBias)
			writeRows(upper, lower, o0, o1, o2, o3, o4, o5, o6, o7)
		}
	}
}

// writeFlat is writeSamples for a block with only a DC coefficient: all samples are equal.
func (b *dctBlock) writeFlat(dst []uint8, stride int) {
	v := clampSample(int(int32(b[0])<<passBits+1<<(passBits+2))>>(passBits+3) + 128)
	row := [blockSide]uint8{v, v, v, v, v, v, v, v}
	for y := range blockSide {
		*(*[blockSide]uint8)(dst[y*stride:]) = row
	}
}

// Biases added to the passes' sums before shifting. They contain half a unit for rounding. In the first pass, they also
// make lower halves positive; in the second, they contain the level shift of T.81 A.3.1.
const (
	columnShift = constBits - passBits
	columnBias  = 1<<(columnShift-1)*both + 1<<31
	rowShift    = constBits + passBits + 3
	rowBias     = (128<<rowShift + 1<<(rowShift-1)) * both
)

// transformColumns transforms the columns and rounds to passBits. The result pairs rows instead of columns.
func (b *dctBlock) transformColumns(ws *[blockLen / 2]int64) {
	for p := range blockSide / 2 {
		o0, o1, o2, o3, o4, o5, o6, o7 := inverseDCT(b[p], b[4+p], b[8+p], b[12+p], b[16+p], b[20+p], b[24+p],
			b[28+p], columnBias)
		w := (*[26]int64)(ws[2*p:])
		w[0], w[1] = descaleRows(o0, o1)
		w[8], w[9] = descaleRows(o2, o3)
		w[16], w[17] = descaleRows(o4, o5)
		w[24], w[25] = descaleRows(o6, o7)
	}
}

// transformColumnsLow is transformColumns for blocks in which only the first four rows and columns are non-zero.
func (b *dctBlock) transformColumnsLow(ws *[blockLen / 2]int64) {
	for p := range blockSide / 4 {
		o0, o1, o2, o3, o4, o5, o6, o7 := inverseDCTLow(b[p], b[4+p], b[8+p], b[12+p], columnBias)
		w := (*[26]int64)(ws[2*p:])
		w[0], w[1] = descaleRows(o0, o1)
		w[8], w[9] = descaleRows(o2, o3)
		w[16], w[17] = descaleRows(o4, o5)
		w[24], w[25] = descaleRows(o6, o7)
	}
}

// descaleRows shifts down the column sums of two rows and returns them as words of two rows.
func descaleRows(upper, lower int64) (even, odd int64) {
	const bias = 1 << (31 - columnShift) * both
	even = int64(uint32(upper)>>columnShift) + int64(uint32(lower)>>columnShift)<<32 - bias
	odd = upper>>(32+columnShift) + lower>>(32+columnShift)<<32
	return even, odd
}

// writeRows shifts down the sums of two rows and writes their samples.
func writeRows(upper, lower *[blockSide]uint8, o0, o1, o2, o3, o4, o5, o6, o7 int64) {
	const legal = (1<<(rowShift+8) - 1) * both
	if (o0|o1|o2|o3|o4|o5|o6|o7)&^legal != 0 {
		clampRows(upper, lower, [blockSide]int64{o0, o1, o2, o3, o4, o5, o6, o7})
		return
	}
	upper[0], lower[0] = uint8(o0>>rowShift), uint8(o0>>(32+rowShift))
	upper[1], lower[1] = uint8(o1>>rowShift), uint8(o1>>(32+rowShift))
	upper[2], lower[2] = uint8(o2>>rowShift), uint8(o2>>(32+rowShift))
	upper[3], lower[3] = uint8(o3>>rowShift), uint8(o3>>(32+rowShift))
	upper[4], lower[4] = uint8(o4>>rowShift), uint8(o4>>(32+rowShift))
	upper[5], lower[5] = uint8(o5>>rowShift), uint8(o5>>(32+rowShift))
	upper[6], lower[6] = uint8(o6>>rowShift), uint8(o6>>(32+rowShift))
	upper[7], lower[7] = uint8(o7>>rowShift), uint8(o7>>(32+rowShift))
}

// clampRows is writeRows for rows with samples outside 0..255.
func clampRows(upper, lower *[blockSide]uint8, o [blockSide]int64) {
	for x, v := range o {
		low := int64(int32(v))
		upper[x], lower[x] = clampSample(int(low>>rowShift)), clampSample(int((v-low)>>(32+rowShift)))
	}
}

func clampSample(v int) uint8 { return uint8(min(max(v, 0), 255)) }
