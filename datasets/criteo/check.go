package criteo

import (
	"context"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// CheckPairs reads all pairs in use on all processors. It reports every number that is not finite and every index
// outside its table, with its file and pair. Open checks only headers and labels. The error is a [*FaultError] that
// wraps ErrDataset, or ctx's error if ctx ends first.
func (s *PairSet) CheckPairs(ctx context.Context) error {
	var faults fault.FaultList
	eachBlock(ctx, s.Len(), func(start, end int) { s.checkBlock(start, end, &faults) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return faults.Err(ErrDataset, fmt.Sprintf("pairs 0 to %d", s.Len()))
}

func (s *PairSet) checkBlock(start, end int, faults *fault.FaultList) {
	addFaults(faults, s.ReadDense(make([]float32, (end-start)*DenseFeatures), start, end))
	for k, hot := range s.Hotness() {
		addFaults(faults, s.ReadSparse(make([]int32, (end-start)*hot), k, start, end))
	}
}

// addFaults adds the faults in err to faults.
func addFaults(faults *fault.FaultList, err error) {
	if err == nil {
		return
	}
	var several *FaultError
	if !errors.As(err, &several) {
		faults.Addf("", "%v", err)
		return
	}
	for _, f := range several.Faults {
		faults.Addf(several.Path+", "+f.Where, "%s", f.Problem)
	}
	if several.Omitted > 0 {
		faults.Addf(several.Path, "and %d more", several.Omitted)
	}
}
