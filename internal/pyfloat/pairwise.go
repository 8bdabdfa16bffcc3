package pyfloat

// maxRun is the length of the longest slice that NumPy adds with eight running sums. It splits longer slices.
const maxRun = 128

// Sum adds v like numpy.add.reduce adds a contiguous array: in a tree whose leaves are slices of up to 128 values, each
// added with eight running sums. The error grows with the logarithm of len(v).
func Sum(v []float64) float64 {
	switch n := len(v); {
	case n < 8:
		return sumInOrder(0, v)
	case n <= maxRun:
		return sumEightLanes(v)
	default:
		half := n / 2
		half -= half % 8
		return Sum(v[:half]) + Sum(v[half:])
	}
}

// Mean returns Sum(v) divided by the number of values, or NaN if there are none.
func Mean(v []float64) float64 { return Sum(v) / float64(len(v)) }

// sumInOrder adds v to sum, value by value.
func sumInOrder(sum float64, v []float64) float64 {
	for _, x := range v {
		sum += x
	}
	return sum
}

// sumEightLanes adds v with eight running sums.
func sumEightLanes(v []float64) float64 {
	var r [8]float64
	copy(r[:], v)
	whole := len(v) - len(v)%8
	for i := 8; i < whole; i += 8 {
		for j := range r {
			r[j] += v[i+j]
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	return sumInOrder(sum, v[whole:])
}
