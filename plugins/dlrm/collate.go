package dlrm

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// collator writes samples into the inputs of a model.
type collator struct {
	clickBinding
	*indexShape
}

// newCollator returns an error if the layout cannot represent the shape.
func newCollator(b clickBinding, s *indexShape) (collator, error) {
	if b.Layout == stackedLayout && !s.isOneHot() {
		return collator{},
			sdk.Usage(fmt.Errorf("parameter layout = stacked needs data with one index for each table, and these have %v; "+
				"want bags or lists", s.hotness))
	}
	return collator{b, s}, nil
}

// Collate joins the pairs of the samples, in order. A single sample is not copied if its memory has the model's layout.
func (c collator) Collate(samples []*pairRun, b *sdk.Batch) error {
	n := countPairs(samples)
	if len(samples) == 1 && samples[0].bagStarts != nil {
		c.shareSample(samples[0], b)
		return nil
	}
	dense := b.Input(0, int64(n), criteo.DenseFeatures)
	for _, s := range samples {
		dense = dense[copy(dense, backend.Bytes(s.dense)):]
	}
	if c.IndexType == backend.Int32 {
		writeIndices[int32](c, samples, n, b)
		return nil
	}
	writeIndices[int64](c, samples, n, b)
	return nil
}

func countPairs(samples []*pairRun) int {
	n := 0
	for _, s := range samples {
		n += s.pairCount()
	}
	return n
}

// canShare reports whether the memory of a sample has the model's layout.
func (c collator) canShare() bool { return c.Layout == bagsLayout && c.IndexType == backend.Int32 }

// shareSample makes the inputs refer to a sample.
func (c collator) shareSample(s *pairRun, b *sdk.Batch) {
	n := s.pairCount()
	b.Share(0, backend.Bytes(s.dense), int64(n), criteo.DenseFeatures)
	b.Share(1, backend.Bytes(s.bagStarts), int64(len(s.bagStarts)))
	b.Share(2, backend.Bytes(s.sparse), int64(len(s.sparse)))
}

// writeIndices writes offsets and indices of the n pairs.
func writeIndices[T int32 | int64](c collator, samples []*pairRun, n int, b *sdk.Batch) {
	switch c.Layout {
	case bagsLayout:
		writeBags(c, backend.View[T](b.Input(1, int64(criteo.Tables*n+1))), n)
		joinTables(c, backend.View[T](b.Input(2, int64(c.indicesPerPair()*n))), samples, n)
	case stackedLayout:
		offsets := backend.View[T](b.Input(1, criteo.Tables, int64(n)))
		for k := range criteo.Tables {
			writeBagStarts(offsets[k*n:(k+1)*n], 0, 1)
		}
		joinTables(c, backend.View[T](b.Input(2, criteo.Tables, int64(n))), samples, n)
	case listsLayout:
		for k, hot := range c.hotness {
			writeBagStarts(backend.View[T](b.Input(1+k, int64(n))), 0, hot)
			joinTable(backend.View[T](b.Input(1+criteo.Tables+k, int64(hot*n))), samples, k)
		}
	}
}

// writeBags writes the start of each bag of all tables, and the end of the last one.
func writeBags[T int32 | int64](c collator, offsets []T, n int) {
	for k, hot := range c.hotness {
		writeBagStarts(offsets[k*n:(k+1)*n], c.starts[k]*n, hot)
	}
	offsets[criteo.Tables*n] = T(c.indicesPerPair() * n)
}

// writeBagStarts writes the starts of bags with hot indices each.
func writeBagStarts[T int32 | int64](dst []T, start, hot int) {
	at := T(start)
	for i := range dst {
		dst[i] = at
		at += T(hot)
	}
}

// joinTables writes the indices of all tables, one table after the other.
func joinTables[T int32 | int64](c collator, dst []T, samples []*pairRun, n int) {
	for k := range criteo.Tables {
		joinTable(dst[c.starts[k]*n:c.starts[k+1]*n], samples, k)
	}
}

// joinTable writes the samples' indices into one table.
func joinTable[T int32 | int64](dst []T, samples []*pairRun, table int) {
	for _, s := range samples {
		indices := s.tableIndices(table)
		copyIndices(dst[:len(indices)], indices)
		dst = dst[len(indices):]
	}
}

// copyIndices copies and converts indices. Indices of the same type are copied as a block.
func copyIndices[T int32 | int64](dst []T, indices []int32) {
	if same, ok := any(dst).([]int32); ok {
		copy(same, indices)
		return
	}
	for i, v := range indices {
		dst[i] = T(v)
	}
}
