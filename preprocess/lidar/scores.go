package lidar

import "math"

// Classes is how many classes a segmentation has: those of Cityscapes.
const Classes = 19

// View is what a segmentation says of a picture of Height x Width pixels.
type View struct {
	Height, Width int
	Logits        []float32 // [Classes, Height, Width]
}

// Score fills dst with Scores numbers for each pixel, which are numbered row by row: the chance (softmax, in float32)
// of each group of classes, which are background (classes 0 to 10), bicycle (18), vehicles (13 to 16), person (11),
// rider (12) and motorcycle (17).
func (v *View) Score(dst []float32, pixels []int32) {
	plane := v.Height * v.Width
	var logits [128][Classes]float32
	for len(pixels) > 0 {
		n := min(len(pixels), len(logits))
		for k := range Classes { // class by class, so that what neighbours have is still in the cache
			values := v.Logits[k*plane:][:plane]
			for i, pixel := range pixels[:n] {
				logits[i][k] = values[pixel]
			}
		}
		for i := range n {
			softmax((*[Scores]float32)(dst[i*Scores:]), &logits[i])
		}
		dst, pixels = dst[n*Scores:], pixels[n:]
	}
}

// softmax takes the logits of a pixel, which it changes.
func softmax(scores *[Scores]float32, e *[Classes]float32) {
	most := e[0]
	for _, x := range e {
		if x > most {
			most = x
		}
	}
	for k := range e {
		e[k] -= most
	}
	exp(e)
	var sum float32
	for _, x := range e {
		sum += x
	}
	var background float32
	for _, x := range e[:11] {
		background += x
	}
	*scores = [Scores]float32{background, e[18], e[13] + e[14] + e[15] + e[16], e[11], e[12], e[17]}
	for k := range scores {
		scores[k] /= sum
	}
}

// exp makes e to the power of x of each x, all of which are up to 0, to about the last digit of a float32:
// x = n ln 2 + r with |r| <= ln 2 / 2, of which e^r is a polynomial (Cephes' expf), and 2^n is made by its bits. Below
// -87 it is 0. NaN stays. It is one loop, in which the steps of neighbours overlap.
func exp(values *[Classes]float32) {
	for k, x := range values {
		const magic = 1.5 * (1 << 23) // what is added to a float32 rounds it to a whole number
		n := x*math.Log2E + magic - magic
		r := x - n*0.693359375
		r += n * 2.12194440e-4
		p := float32(1.9875691500e-4)
		p = p*r + 1.3981999507e-3
		p = p*r + 8.3334519073e-3
		p = p*r + 4.1665795894e-2
		p = p*r + 1.6666665459e-1
		p = p*r + 5.0000001201e-1
		p = p*r*r + r + 1
		p *= math.Float32frombits(uint32(int32(n)+127) << 23)
		if x < -87 {
			p = 0
		}
		values[k] = p
	}
}
