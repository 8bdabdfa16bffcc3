package serve

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Sizes are listed separately, however large they are. If there are too many, neighbours are merged.
func TestSizesOfBatches(t *testing.T) {
	few := make([]uint64, 4101)
	few[3505], few[4100] = 1, 26
	if got := batchSizes(few); !slices.Equal(got, []sdk.BatchSize{{Samples: 3505, Batches: 1}, {Samples: 4100,
		Batches: 26}}) {
		t.Errorf("%v", got)
	}
	many := make([]uint64, 2501)
	for n := range 2500 {
		many[n+1] = 2
	}
	got, last, batches := batchSizes(many), 0, uint64(0)
	for _, s := range got {
		if s.Samples <= last {
			t.Fatalf("%d after %d", s.Samples, last)
		}
		last, batches = s.Samples, batches+s.Batches
	}
	if len(got) > maxSizes || batches != 5000 || got[0] != (sdk.BatchSize{Samples: 3, Batches: 6}) {
		t.Errorf("%d sizes of %d batches, the first %+v", len(got), batches, got[0])
	}
	if got := batchSizes(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
