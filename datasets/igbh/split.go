package igbh

import (
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

// The official split: its seed, and the share of validation papers in it.
const (
	SplitSeed          = 42
	ValidationFraction = 0.005
)

// Calibration papers are the first of the full data set's permutation.
const calibrationPapers = 5000

// DrawSplit is a permutation of the n labelled papers as the official script draws it (the CPU generator of PyTorch,
// seeded with seed): its first 60 % are for training, the next fraction of n for validation. Both are part of one
// list.
func DrawSplit(n int, seed uint32, fraction float64) (train, validation []uint32) {
	order := permutation(n, seed)
	end := int(float64(n) * 0.6)
	return order[:end:end], order[end : end+min(int(float64(n)*fraction), n-end)]
}

// CalibrationPapers is the papers that models of the full data set may be calibrated with: the first 5,000 of its
// permutation.
func CalibrationPapers() []uint32 { return firstOf(labelledFull, calibrationPapers, SplitSeed) }

// firstOf is the first k of the permutation of n.
func firstOf(n, k int, seed uint32) []uint32 {
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

// permutation is that of torch.randperm on a CPU, for n below 2^32.
func permutation(n int, seed uint32) []uint32 {
	order := lists.Make(n, func(i int) uint32 { return uint32(i) })
	random := mt19937.New(seed)
	for i := range max(n-1, 0) {
		j := i + int(random.Uint32())%(n-i)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
