package lidar

import "math"

// Classes is how many classes a segmentation has: those of Cityscapes.
const Classes = 19

// SegmentedView is the segmentation of a picture of Height x Width pixels.
type SegmentedView struct {
	Height, Width int
	Logits        []float32 // [Classes, Height, Width]
}

// Score fills dst with Scores numbers for each pixel, which are numbered row by row: the chance (softmax, in float32)
// of each group of classes, which are background (classes 0 to 10), bicycle (18), vehicles (13 to 16), person (11),
// rider (12) and motorcycle (17).
func (v *SegmentedView) Score(dst []float32, pixels []int32) {
	plane := v.Height * v.Width
	var e softmaxBatch
	for len(pixels) > 0 {
		n := min(len(pixels), batch)
		for k := range e { // class by class: what is read does not depend on what was read before
			values, row := v.Logits[k*plane:][:plane], e[k][:n]
			for i, pixel := range pixels[:n] {
				row[i] = values[pixel]
			}
		}
		e.fillScores(dst, n)
		dst, pixels = dst[n*Scores:], pixels[n:]
	}
}

// batch is how many pixels are worked on at a time: what is known of them fits into a core's first cache.
const batch = 256

// softmaxBatch has the logits of some pixels, class by class, and then their powers of e.
type softmaxBatch [Classes][batch]float32

// fillScores fills in the scores of the first n pixels.
func (e *softmaxBatch) fillScores(dst []float32, n int) {
	maxima := e[0]
	for k := 1; k < Classes; k++ {
		for i, x := range e[k][:n] {
			maxima[i] = max(maxima[i], x)
		}
	}
	var sum, background [batch]float32
	for k := range e {
		addPowers(sum[:n], e[k][:n], maxima[:n])
		if k == 10 {
			background = sum
		}
	}
	for i := range n {
		sum := sum[i]
		*(*[Scores]float32)(dst[i*Scores:]) = [Scores]float32{
			background[i] / sum, e[18][i] / sum, (e[13][i] + e[14][i] + e[15][i] + e[16][i]) / sum,
			e[11][i] / sum, e[12][i] / sum, e[17][i] / sum,
		}
	}
}

// addPowers makes e to the power of x - m of each x, where m is its maximum, to about the last digit of a float32, and
// adds it to the sums: x - m = n ln 2 + r with |r| <= ln 2 / 2, of which e^r is a polynomial (Cephes' expf), and 2^n is
// made by its bits. Below -87 it is 0. NaN stays.
func addPowers(sum, values, maxima []float32) {
	sum, maxima = sum[:len(values)], maxima[:len(values)]
	for i, x := range values {
		const magic = 1.5 * (1 << 23) // what is added to a float32 rounds it to a whole number
		x -= maxima[i]
		whole := x*math.Log2E + magic
		n := whole - magic
		r := x - n*0.693359375
		r += n * 2.12194440e-4
		p := float32(1.9875691500e-4)
		p = p*r + 1.3981999507e-3
		p = p*r + 8.3334519073e-3
		p = p*r + 4.1665795894e-2
		p = p*r + 1.6666665459e-1
		p = p*r + 5.0000001201e-1
		p = p*r*r + r + 1
		p *= math.Float32frombits(math.Float32bits(whole)<<23 + 127<<23)
		if x < -87 {
			p = 0
		}
		values[i] = p
		sum[i] += p
	}
}
