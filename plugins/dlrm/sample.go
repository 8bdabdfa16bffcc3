package dlrm

import (
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
)

// indexShape describes the layout of the indices of a pair or a run of pairs: table by table.
type indexShape struct {
	hotness [criteo.Tables]int     // number of indices per pair in each table
	starts  [criteo.Tables + 1]int // sums of the hotness of the preceding tables
}

func newIndexShape(hotness []int) *indexShape {
	s := new(indexShape)
	copy(s.hotness[:], hotness)
	for k, hot := range s.hotness {
		s.starts[k+1] = s.starts[k] + hot
	}
	return s
}

// indicesPerPair returns the total number of indices per pair.
func (s *indexShape) indicesPerPair() int { return s.starts[criteo.Tables] }

// isOneHot reports whether every table has one index per pair.
func (s *indexShape) isOneHot() bool {
	return !slices.ContainsFunc(s.hotness[:], func(hot int) bool { return hot != 1 })
}

// pairRun is a run of consecutive pairs.
type pairRun struct {
	*indexShape
	dense  []float32 // 13 per pair
	sparse []int32   // by table, then by pair
	labels []uint8   // 0 or 1 per pair
	// bagStarts of the bags of indices, shared by samples with the same number of pairs; nil: the layout has other offsets
	bagStarts []int32
}

func newPairRun(s *indexShape, pairs int) *pairRun {
	return &pairRun{
		indexShape: s, dense: make([]float32, pairs*criteo.DenseFeatures),
		sparse: make([]int32, pairs*s.indicesPerPair()), labels: make([]uint8, pairs),
	}
}

func (s *pairRun) pairCount() int { return len(s.labels) }

// tableIndices returns the indices into table k.
func (s *pairRun) tableIndices(k int) []int32 {
	n := s.pairCount()
	return s.sparse[s.starts[k]*n : s.starts[k+1]*n]
}
