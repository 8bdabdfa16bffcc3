package dlrm

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestClientWork(t *testing.T) {
	for name, c := range map[string]struct {
		binding
		n, want int
	}{
		"a sample as it lies": {binding{index: backend.Int32}, 1, 0},
		"samples joined":      {binding{index: backend.Int32}, 2, 1},
		"converted":           {binding{index: backend.Int64}, 1, 1},
		"copied":              {binding{layout: lists, index: backend.Int32}, 1, 1},
	} {
		w := &workload{collator: collator{binding: c.binding}}
		if work := w.ClientWork(nil, nil, c.n); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}

// TestASampleByItselfIsHandedOver compares the inputs of a sample that is shared with those of the same one copied.
func TestASampleByItselfIsHandedOver(t *testing.T) {
	hotness := make([]int, criteo.Tables)
	for k := range hotness {
		hotness[k] = 1 + k%3
	}
	w := &workload{collator: collator{binding{layout: bags, index: backend.Int32}, newShape(hotness)}}
	s := w.newSample(5)
	for i := range s.sparse {
		s.sparse[i] = int32(i)
	}
	if again := w.newSample(5); &again.starts[0] != &s.starts[0] {
		t.Error("samples of as many pairs have offsets of their own")
	}
	shared, copied := sdk.NewBatch(w.model(backend.Model{}).Inputs), sdk.NewBatch(w.model(backend.Model{}).Inputs)
	if err := w.Collate([]sdk.Sample{s}, shared); err != nil {
		t.Fatal(err)
	}
	plain := *s
	plain.starts = nil
	if err := w.Collate([]sdk.Sample{&plain}, copied); err != nil {
		t.Fatal(err)
	}
	for i, in := range shared.Tensors() {
		if want := copied.Tensors()[i]; !slices.Equal(in.Shape, want.Shape) || !slices.Equal(in.Data, want.Data) {
			t.Errorf("%s: shape %v, want %v, or other values", in.Name, in.Shape, want.Shape)
		}
	}
}
