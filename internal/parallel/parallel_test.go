package parallel

import (
	"context"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		calls := make([]atomic.Int32, n)
		Each(t.Context(), n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if calls[i].Load() != 1 {
				t.Errorf("%d of %d: %d calls, want 1", i, n, calls[i].Load())
			}
		}
	}
}

func TestEachEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	Each(ctx, 1000, func(i int) { t.Errorf("%d is done after the end", i) })
}
