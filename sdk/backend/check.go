package backend

import (
	"errors"
	"fmt"
	"slices"
)

// CheckTensors compares the inputs of a Run with what the session takes: number, dtype, shape and size in bytes. It
// lists every fault; ErrTensors is in the chain. kind is "input" or "output", for the message.
func CheckTensors(kind string, want []TensorInfo, got []Tensor) error {
	if len(want) != len(got) {
		return fmt.Errorf("%w: %d %ss, want %d", ErrTensors, len(got), kind, len(want))
	}
	var faults []error
	for i := range got {
		if err := got[i].check(&want[i]); err != nil {
			faults = append(faults, fmt.Errorf("%s %d (%v): %w", kind, i, want[i], err))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrTensors, errors.Join(faults...))
}

func (t *Tensor) check(want *TensorInfo) error {
	switch {
	case t.DType != want.DType:
		return fmt.Errorf("it is %v", t.DType)
	case slices.ContainsFunc(t.Shape, func(d int64) bool { return d < 0 }), !compatible(want.Shape, t.Shape):
		return fmt.Errorf("its shape is %s", ShapeString(t.Shape))
	}
	if size := product(int64(t.DType.Size()), t.Shape); size != int64(len(t.Data)) {
		return fmt.Errorf("%d bytes, want %d for shape %s", len(t.Data), size, ShapeString(t.Shape))
	}
	return nil
}
