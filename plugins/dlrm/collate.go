package dlrm

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// collator writes samples into the inputs of a model.
type collator struct {
	binding
	*shape
}

// newCollator refuses shapes that the layout cannot hold.
func newCollator(b binding, s *shape) (collator, error) {
	if b.Layout == stacked && !s.oneHot() {
		return collator{},
			sdk.Usage(fmt.Errorf("parameter layout = stacked needs data with one index for each table, and these have %v; "+
				"want bags or lists", s.hotness))
	}
	return collator{b, s}, nil
}

// Collate joins the pairs of the samples, in order. A sample by itself is not copied where it
// lies as the model wants it.
func (c collator) Collate(samples []*sample, b *sdk.Batch) error {
	n := pairsOf(samples)
	if len(samples) == 1 && samples[0].starts != nil {
		c.share(samples[0], b)
		return nil
	}
	dense := b.Input(0, int64(n), criteo.DenseFeatures)
	for _, s := range samples {
		dense = dense[copy(dense, backend.Bytes(s.dense)):]
	}
	if c.Index == backend.Int32 {
		collate[int32](c, samples, n, b)
		return nil
	}
	collate[int64](c, samples, n, b)
	return nil
}

func pairsOf(samples []*sample) int {
	n := 0
	for _, s := range samples {
		n += s.pairs()
	}
	return n
}

// shares tells whether a sample by itself lies as the model wants it.
func (c collator) shares() bool { return c.Layout == bags && c.Index == backend.Int32 }

// share lets the inputs refer to a sample.
func (c collator) share(s *sample, b *sdk.Batch) {
	n := s.pairs()
	b.Share(0, backend.Bytes(s.dense), int64(n), criteo.DenseFeatures)
	b.Share(1, backend.Bytes(s.starts), int64(len(s.starts)))
	b.Share(2, backend.Bytes(s.sparse), int64(len(s.sparse)))
}

// collate writes offsets and indices of the n pairs.
func collate[T int32 | int64](c collator, samples []*sample, n int, b *sdk.Batch) {
	switch c.Layout {
	case bags:
		writeBags(c, backend.View[T](b.Input(1, int64(criteo.Tables*n+1))), n)
		joinAll(c, backend.View[T](b.Input(2, int64(c.perPair()*n))), samples, n)
	case stacked:
		offsets := backend.View[T](b.Input(1, criteo.Tables, int64(n)))
		for k := range criteo.Tables {
			bounds(offsets[k*n:(k+1)*n], 0, 1)
		}
		joinAll(c, backend.View[T](b.Input(2, criteo.Tables, int64(n))), samples, n)
	case lists:
		for k, hot := range c.hotness {
			bounds(backend.View[T](b.Input(1+k, int64(n))), 0, hot)
			join(backend.View[T](b.Input(1+criteo.Tables+k, int64(hot*n))), samples, k)
		}
	}
}

// writeBags writes where the bags of all tables begin, and where the last one ends.
func writeBags[T int32 | int64](c collator, offsets []T, n int) {
	for k, hot := range c.hotness {
		bounds(offsets[k*n:(k+1)*n], c.first[k]*n, hot)
	}
	offsets[criteo.Tables*n] = T(c.perPair() * n)
}

// bounds writes where bags of hot indices begin.
func bounds[T int32 | int64](dst []T, start, hot int) {
	at := T(start)
	for i := range dst {
		dst[i] = at
		at += T(hot)
	}
}

// joinAll writes the indices of all tables behind each other.
func joinAll[T int32 | int64](c collator, dst []T, samples []*sample, n int) {
	for k := range criteo.Tables {
		join(dst[c.first[k]*n:c.first[k+1]*n], samples, k)
	}
}

// join writes the indices that the samples have of a table.
func join[T int32 | int64](dst []T, samples []*sample, table int) {
	for _, s := range samples {
		indices := s.table(table)
		widen(dst[:len(indices)], indices)
		dst = dst[len(indices):]
	}
}

// widen copies indices; those of the same type at the speed of memory.
func widen[T int32 | int64](dst []T, indices []int32) {
	if same, ok := any(dst).([]int32); ok {
		copy(same, indices)
		return
	}
	for i, v := range indices {
		dst[i] = T(v)
	}
}
