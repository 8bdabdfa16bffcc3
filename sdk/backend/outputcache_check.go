package backend

import (
	"errors"
	"fmt"
	"slices"
)

// CheckHandles returns an error for wrong kept tensors in a Run on a session that keeps tensors in memory: handles of
// another memory, released handles, rows out of range, mismatched shapes, or Data with Handles. It ignores tensors
// without Handles or KeepOutput. The error wraps ErrTensors.
func CheckHandles(memory any, in, out []Tensor) error {
	var faults []error
	for i := range in {
		if err := in[i].checkKept(memory); err != nil {
			faults = append(faults, fmt.Errorf("input %d: %w", i, err))
		}
	}
	for i := range out {
		switch {
		case out[i].KeepOutput && memory == nil:
			faults = append(faults, fmt.Errorf("output %d is to be kept, and this session keeps none", i))
		case out[i].KeepOutput && out[i].Data != nil:
			faults = append(faults, fmt.Errorf("output %d is to be kept and has memory of the caller's: want one of them", i))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return tensorError{errors.Join(faults...)}
}

// CheckTensorsOrHandles is like CheckTensors for a session that keeps tensors in memory: got may contain kept tensors.
func CheckTensorsOrHandles(kind string, memory any, want []TensorInfo, got []Tensor) error {
	if err := CheckHandles(memory, got, nil); err != nil {
		return err
	}
	return checkTensors(kind, want, got, func(t *Tensor, want *TensorInfo) error {
		if len(t.Handles) == 0 {
			return t.checkAgainst(want)
		}
		return t.checkForm(want)
	})
}

// UsesHandles reports whether a Run keeps tensors or uses kept ones.
func UsesHandles(in, out []Tensor) bool {
	return slices.ContainsFunc(in, func(t Tensor) bool { return t.Handles != nil || t.Rows != nil }) ||
		slices.ContainsFunc(out, func(t Tensor) bool { return t.KeepOutput })
}

func (t *Tensor) checkKept(memory any) error {
	switch {
	case len(t.Handles) == 0 && t.Rows != nil:
		return errors.New("it has Rows without Handles")
	case len(t.Handles) == 0:
		return nil
	case len(t.Data) > 0:
		return errors.New("it has both Data and Handles, want one of them")
	}
	for _, k := range t.Handles {
		if err := k.checkHandle(memory, t); err != nil {
			return err
		}
	}
	return t.checkRows()
}

// checkHandle compares one handle with the tensor that contains its rows.
func (k *OutputHandle) checkHandle(memory any, t *Tensor) error {
	switch {
	case k.released.Load():
		return errors.New("what was kept for it is released")
	case memory == nil || k.memory != memory:
		return errors.New("what it is made of is kept in the memory of another backend or process: take its bytes instead")
	case k.dtype != t.DType:
		return fmt.Errorf("it is %v, what was kept for it %v", t.DType, k.dtype)
	case len(k.shape) != len(t.Shape), len(t.Shape) > 0 && !slices.Equal(k.shape[1:], t.Shape[1:]):
		return fmt.Errorf("its shape is %s, what was kept for it has %s", ShapeString(t.Shape), ShapeString(k.shape))
	}
	return nil
}

// checkRows checks that the selected rows exist.
func (t *Tensor) checkRows() error {
	have := int64(0)
	for _, k := range t.Handles {
		have += k.rowCount()
	}
	for _, r := range t.Rows {
		if r < 0 || int64(r) >= have {
			return fmt.Errorf("row %d is asked for, %d rows are kept", r, have)
		}
	}
	want := int64(len(t.Rows))
	if t.Rows == nil {
		want = have
	}
	if n := int64(Rows([]Tensor{*t})); n != want {
		return fmt.Errorf("its shape is %s for %d rows", ShapeString(t.Shape), want)
	}
	return nil
}
