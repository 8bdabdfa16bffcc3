package pyfloat

// block is the longest run that NumPy adds with eight running sums; longer ones it halves.
const block = 128

// Sum adds v as numpy.add.reduce does for a contiguous array: in a tree whose leaves are runs of at most 128 values,
// each added with eight running sums. Its error grows with the logarithm of len(v).
func Sum(v []float64) float64 {
	switch n := len(v); {
	case n < 8:
		return inOrder(0, v)
	case n <= block:
		return eightLanes(v)
	default:
		half := n / 2
		half -= half % 8
		return Sum(v[:half]) + Sum(v[half:])
	}
}

// Mean is Sum divided by the number of values; NaN for none.
func Mean(v []float64) float64 { return Sum(v) / float64(len(v)) }

func inOrder(sum float64, v []float64) float64 {
	for _, x := range v {
		sum += x
	}
	return sum
}

func eightLanes(v []float64) float64 {
	var r [8]float64
	copy(r[:], v)
	whole := len(v) - len(v)%8
	for i := 8; i < whole; i += 8 {
		for j := range r {
			r[j] += v[i+j]
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	return inOrder(sum, v[whole:])
}
