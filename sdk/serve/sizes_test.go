package serve

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// sizedWorkload is a workload whose samples are their own sizes.
type sizedWorkload struct {
	sdk.Workload
	rule sdk.SizeRule
}

func (w sizedWorkload) SampleSize(s sdk.Sample) int { return s.(int) }
func (w sizedWorkload) SizeRule() sdk.SizeRule      { return w.rule }

func TestWarmUpKeepsToTheSizeRule(t *testing.T) {
	for _, c := range []struct {
		maxSum, size, want int
	}{
		{0, 5, 8}, {100, 5, 8}, {20, 5, 4}, {20, 50, 1}, {20, 0, 8},
	} {
		w := &openedWorkload{workload: sizedWorkload{rule: sdk.SizeRule{MaxSum: c.maxSum}},
			policy: batch.BatchPolicy{MaxBatch: 8}}
		if got := w.warmBatch(c.size); got != c.want {
			t.Errorf("sum %d, size %d: %d copies, want %d", c.maxSum, c.size, got, c.want)
		}
	}
	w := &openedWorkload{policy: batch.BatchPolicy{MaxBatch: 8}}
	if got := w.warmBatch(1); got != 8 {
		t.Errorf("%d copies without a rule, want 8", got)
	}
}
