package evidence

import (
	"math"
)

// entropyEdge is the minimum distance of predictions and labels from 0 and 1.
const entropyEdge = float32(1e-7)

// Candidates contains the answers to one request to a recommender: its predictions, and for an accuracy run the same
// number of labels and weights.
type Candidates struct {
	predictions, labels, weights []float32
}

// normalisedEntropy returns TEST08's value: the weighted cross entropy of predictions and labels divided by the
// weighted entropy of the mean label. A single value is broadcast to the other's length, like in numpy. ok is false for
// other differences in length. The computation uses single precision and numpy's order of sums.
func normalisedEntropy(c Candidates) (ne float64, ok bool) {
	n, ok := broadcastLen(len(c.labels), len(c.weights))
	if !ok {
		return 0, false
	}
	labels := clipAll(c.labels)
	total := sum32(c.weights)
	if total == 0 {
		return 0, true // independent of the predictions
	}
	m, ok := broadcastLen(len(c.predictions), n)
	if !ok {
		return 0, false
	}
	predictions := clipAll(c.predictions)
	terms := make([]float32, m)
	for i := range terms {
		p, l, w := pickOrOnly(predictions, i), pickOrOnly(labels, i), pickOrOnly(c.weights, i)
		terms[i] = w * (float32(l*log32(p)) + float32((1-l)*log32(1-p)))
	}
	cross := -sum32(terms)
	weighted := make([]float32, n)
	for i := range weighted {
		weighted[i] = pickOrOnly(c.weights, i) * pickOrOnly(labels, i)
	}
	p := clipValue(sum32(weighted) / total)
	baseline := float32(-p*log32(p)) - float32((1-p)*log32(1-p))
	if baseline == 0 {
		return 0, true
	}
	return float64(cross / float32(baseline*total)), true
}

// broadcastLen returns the common length of two arrays. An array of length 1 fits any other.
func broadcastLen(a, b int) (int, bool) {
	switch {
	case a == b, b == 1:
		return a, true
	case a == 1:
		return b, true
	}
	return 0, false
}

func pickOrOnly(list []float32, i int) float32 {
	if len(list) == 1 {
		return list[0]
	}
	return list[i]
}

func clipAll(list []float32) []float32 {
	values := make([]float32, len(list))
	for i, value := range list {
		values[i] = clipValue(value)
	}
	return values
}

// clipValue clips a value to the permitted range. It returns NaN unchanged.
func clipValue(v float32) float32 {
	const most = float32(1 - 1e-7)
	switch {
	case v < entropyEdge:
		return entropyEdge
	case v > most:
		return most
	}
	return v
}

// log32 returns the natural logarithm of a positive v in single precision. It uses the rational approximation and order
// of operations of numpy's vector code, whose last digit can differ from the correctly rounded value.
func log32(v float32) float32 {
	if v != v {
		return v
	}
	fraction, exponent := math.Frexp(float64(v)) // in [0.5, 1)
	if float32(fraction) < math.Sqrt2/2 {
		fraction, exponent = 2*fraction, exponent-1
	}
	x := float32(fraction) - 1
	ratio := evalPolynomial(x, 2.589979117907922693523e-02, 3.808837741388407920751e-01, 1.480000633576506585156,
		2.112677543073053063722, 9.999999999999998702752e-01, 0) /
		evalPolynomial(x, 5.875095403124574342950e-03, 1.546476374983906719538e-01, 9.864942958519418960339e-01,
			2.453006071784736363091, 2.612677543073109236779, 1)
	return fma32(float32(exponent), math.Ln2, ratio)
}

// evalPolynomial evaluates a polynomial in x. The highest coefficient is first.
func evalPolynomial(x float32, coefficients ...float32) float32 {
	sum := coefficients[0]
	for _, c := range coefficients[1:] {
		sum = fma32(sum, x, c)
	}
	return sum
}

func fma32(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) }

// sum32 returns the sum with numpy's pairwise summation: blocks of up to 128 values in eight rows, and larger arrays in
// halves.
func sum32(list []float32) float32 {
	n := len(list)
	switch {
	case n < 8:
		s := float32(math.Copysign(0, -1))
		for _, v := range list {
			s += v
		}
		if n == 0 {
			return 0
		}
		return s
	case n <= 128:
		return sumBlock(list)
	}
	half := n / 2
	half -= half % 8
	return sum32(list[:half]) + sum32(list[half:])
}

func sumBlock(list []float32) float32 {
	var r [8]float32
	copy(r[:], list)
	i := 8
	for ; i < len(list)-len(list)%8; i += 8 {
		for j := range r {
			r[j] += list[i+j]
		}
	}
	s := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for ; i < len(list); i++ {
		s += list[i]
	}
	return s
}
