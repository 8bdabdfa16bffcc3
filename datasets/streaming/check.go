package streaming

import (
	"context"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// CheckRequests reads the samples of all requests on all processors and reports all faults. The error is a
// [*FaultError] that wraps ErrDataset, or ctx's error if ctx ends first.
func (s *RequestSet) CheckRequests(ctx context.Context) error {
	var faults fault.FaultList
	for p := range s.requests {
		parallel.Each(ctx, len(s.requests[p]), func(r int) {
			if _, err := s.ReadSample(p, r); err != nil {
				faults.Addf("", "%v", err)
			}
		})
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return faults.Err(ErrDataset, "requests of all periods")
}
