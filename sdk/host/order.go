package host

import (
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// sampleOrder hands out the samples of a workload in the workload's own order.
type sampleOrder struct {
	samples []int64

	mu   sync.Mutex
	next int
}

// newOrder returns nil if samples is empty.
func newOrder(samples []int64) *sampleOrder {
	if len(samples) == 0 {
		return nil
	}
	return &sampleOrder{samples: samples}
}

// restartOrder restarts the order for another test.
func (o *sampleOrder) restartOrder() {
	if o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.next = 0
	}
}

// handOut replaces the samples of a query by the next ones. It returns a copy, because LoadGen owns a query's samples.
func (o *sampleOrder) handOut(asked []loadgen.QuerySample) []loadgen.QuerySample {
	if o == nil {
		return asked
	}
	given := slices.Clone(asked)
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range given {
		given[i].Index = loadgen.SampleIndex(o.samples[o.next])
		o.next = (o.next + 1) % len(o.samples)
	}
	return given
}
