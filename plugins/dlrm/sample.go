package dlrm

import (
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
)

// shape says where the indices of a pair or of a run of pairs lie: those of one table after those of the one before it.
type shape struct {
	hotness [criteo.Tables]int     // indices of each table
	first   [criteo.Tables + 1]int // the sums of those before it
}

func newShape(hotness []int) *shape {
	s := new(shape)
	copy(s.hotness[:], hotness)
	for k, hot := range s.hotness {
		s.first[k+1] = s.first[k] + hot
	}
	return s
}

// perPair is how many indices a pair has in all.
func (s *shape) perPair() int { return s.first[criteo.Tables] }

// oneHot is whether every table has one index.
func (s *shape) oneHot() bool {
	return !slices.ContainsFunc(s.hotness[:], func(hot int) bool { return hot != 1 })
}

// sample is a run of pairs.
type sample struct {
	*shape
	dense  []float32 // 13 of each pair
	sparse []int32   // of each table in turn, the indices of each pair in turn
	labels []uint8   // 0 or 1 of each pair
	starts []int32   // of the bags of indices, shared by samples of as many pairs; nil where the layout has other offsets
}

func newSample(s *shape, pairs int) *sample {
	return &sample{
		shape: s, dense: make([]float32, pairs*criteo.DenseFeatures),
		sparse: make([]int32, pairs*s.perPair()), labels: make([]uint8, pairs),
	}
}

func (s *sample) pairs() int { return len(s.labels) }

// table are the indices into a table.
func (s *sample) table(k int) []int32 {
	n := s.pairs()
	return s.sparse[s.first[k]*n : s.first[k+1]*n]
}
