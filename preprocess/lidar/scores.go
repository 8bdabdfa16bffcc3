package lidar

import "math"

// Classes is the number of classes of a segmentation, which are those of Cityscapes.
const Classes = 19

// SegmentedView is the segmentation of a picture of Height x Width pixels.
type SegmentedView struct {
	Height, Width int
	Logits        []float32 // [Classes, Height, Width]
}

// Score fills dst with Scores values for each pixel; pixels are numbered row by row. The values are the probabilities
// (softmax in float32) of groups of classes: background (classes 0 to 10), bicycle (18), vehicles (13 to 16), person
// (11), rider (12) and motorcycle (17).
func (v *SegmentedView) Score(dst []float32, pixels []int32) {
	plane := v.Height * v.Width
	var e softmaxBatch
	for len(pixels) > 0 {
		n := min(len(pixels), batchPixels)
		for k := range e { // class by class, so that reads do not depend on each other
			values, row := v.Logits[k*plane:][:plane], e[k][:n]
			for i, pixel := range pixels[:n] {
				row[i] = values[pixel]
			}
		}
		e.fillScores(dst, n)
		dst, pixels = dst[n*Scores:], pixels[n:]
	}
}

// batchPixels is the number of pixels processed at a time, so that their values fit into a core's first-level cache.
const batchPixels = 256

// softmaxBatch contains the logits of some pixels, class by class, which are then replaced by their exponentials.
type softmaxBatch [Classes][batchPixels]float32

// fillScores computes the scores of the first n pixels.
func (e *softmaxBatch) fillScores(dst []float32, n int) {
	maxima := e[0]
	for k := 1; k < Classes; k++ {
		for i, x := range e[k][:n] {
			maxima[i] = max(maxima[i], x)
		}
	}
	var sum, background [batchPixels]float32
	for k := range e {
		addExponentials(sum[:n], e[k][:n], maxima[:n])
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

// addExponentials replaces each value x by exp(x - m), where m is its maximum, accurate to about the last digit of a
// float32, and adds it to the sums. With x - m = n ln 2 + r and |r| <= ln 2 / 2, exp(r) is a polynomial (Cephes' expf)
// and 2^n is made from its bits. Below -87 the result is 0. NaN remains NaN.
func addExponentials(sum, values, maxima []float32) {
	sum, maxima = sum[:len(values)], maxima[:len(values)]
	for i, x := range values {
		const magic = 1.5 * (1 << 23) // adding this to a float32 rounds it to a whole number
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
