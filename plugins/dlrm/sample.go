package dlrm

import (
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
)

// indexShape describes where the indices of a pair or of a run of pairs lie: those of one table after those of the one
// before it.
type indexShape struct {
	hotness [criteo.Tables]int     // indices of each table
	first   [criteo.Tables + 1]int // the sums of those before it
}

func newIndexShape(hotness []int) *indexShape {
	s := new(indexShape)
	copy(s.hotness[:], hotness)
	for k, hot := range s.hotness {
		s.first[k+1] = s.first[k] + hot
	}
	return s
}

// perPair is how many indices a pair has in all.
func (s *indexShape) perPair() int { return s.first[criteo.Tables] }

// oneHot is whether every table has one index.
func (s *indexShape) oneHot() bool {
	return !slices.ContainsFunc(s.hotness[:], func(hot int) bool { return hot != 1 })
}

// pairRun is a run of pairs.
type pairRun struct {
	*indexShape
	dense  []float32 // 13 of each pair
	sparse []int32   // of each table in turn, the indices of each pair in turn
	labels []uint8   // 0 or 1 of each pair
	starts []int32   // of the bags of indices, shared by samples of as many pairs; nil where the layout has other offsets
}

func newPairRun(s *indexShape, pairs int) *pairRun {
	return &pairRun{
		indexShape: s, dense: make([]float32, pairs*criteo.DenseFeatures),
		sparse: make([]int32, pairs*s.perPair()), labels: make([]uint8, pairs),
	}
}

func (s *pairRun) pairCount() int { return len(s.labels) }

// tableIndices are the indices into a table.
func (s *pairRun) tableIndices(k int) []int32 {
	n := s.pairCount()
	return s.sparse[s.first[k]*n : s.first[k+1]*n]
}
