package igbh

import (
	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// Seed of the official split, and its fraction of validation papers.
const (
	SplitSeed          = 42
	ValidationFraction = 0.005
)

// calibrationPapers is the number of calibration papers, which are the first of the full data set's permutation.
const calibrationPapers = 5000

// DrawSplit draws the official script's split of n labelled papers, with PyTorch's CPU generator and the given seed.
// The first 60 % of the permutation are for training, the next fraction of n for validation. Both results share one
// array.
func DrawSplit(n int, seed uint32, fraction float64) (train, validation []uint32) {
	order := permutation(n, seed)
	end := int(float64(n) * 0.6)
	return order[:end:end], order[end : end+min(int(float64(n)*fraction), n-end)]
}

// CalibrationPapers returns the papers that may be used to calibrate models of the full data set: the first 5,000 of
// its permutation.
func CalibrationPapers() []uint32 {
	return permutationPrefix(labelledFull, calibrationPapers, SplitSeed)
}

// permutationPrefix returns the first k values of permutation(n, seed).
func permutationPrefix(n, k int, seed uint32) []uint32 {
	moved := map[int]uint32{}
	at := func(i int) uint32 {
		if v, ok := moved[i]; ok {
			return v
		}
		return uint32(i)
	}
	random := mt19937.New(seed)
	first := make([]uint32, min(n, k))
	for i := range first {
		j := i
		if i < n-1 {
			j += int(random.Uint32()) % (n - i)
		}
		first[i] = at(j)
		moved[j] = at(i)
	}
	return first
}

// permutation returns torch.randperm(n) as computed on a CPU. n must be less than 2^32.
func permutation(n int, seed uint32) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	random := mt19937.New(seed)
	for i := range max(n-1, 0) {
		j := i + int(random.Uint32())%(n-i)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
