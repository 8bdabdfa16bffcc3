package backend

import (
	"errors"
	"fmt"
	"slices"
)

// CheckTensors compares the tensors of a Run with those of the session: number, dtype, shape and size in bytes. Its
// error lists all faults and wraps ErrTensors. kind is "input" or "output", for the message.
func CheckTensors(kind string, want []TensorInfo, got []Tensor) error {
	return checkTensors(kind, want, got, (*Tensor).checkAgainst)
}

func checkTensors(kind string, want []TensorInfo, got []Tensor, check func(*Tensor, *TensorInfo) error) error {
	if len(want) != len(got) {
		return tensorError{fmt.Errorf("%d %ss, want %d", len(got), kind, len(want))}
	}
	var faults []error
	for i := range got {
		if err := check(&got[i], &want[i]); err != nil {
			faults = append(faults, fmt.Errorf("%s %d (%v): %w", kind, i, want[i], err))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return tensorError{errors.Join(faults...)}
}

// tensorError is an error about the tensors of a run. It wraps ErrTensors without showing its text, which is about a
// model.
type tensorError struct{ error }

func (m tensorError) Unwrap() []error { return []error{m.error, ErrTensors} }

// checkAgainst compares a tensor with Data with the wanted tensor.
func (t *Tensor) checkAgainst(want *TensorInfo) error {
	if t.Handles != nil {
		return errors.New("it is kept by a session, and this one takes bytes")
	}
	if err := t.checkForm(want); err != nil {
		return err
	}
	if size := multiplyDims(int64(t.DType.Size()), t.Shape); size != int64(len(t.Data)) {
		return fmt.Errorf("%d bytes, want %d for shape %s", len(t.Data), size, ShapeString(t.Shape))
	}
	return nil
}

// checkForm compares dtype and shape.
func (t *Tensor) checkForm(want *TensorInfo) error {
	switch {
	case t.DType == InvalidDType && want.DType != InvalidDType:
		return fmt.Errorf("it has no dtype, want %v", want.DType)
	case t.DType != want.DType:
		return fmt.Errorf("it is %v, want %v", t.DType, want.DType)
	case slices.ContainsFunc(t.Shape, func(d int64) bool { return d < 0 }), !shapesCompatible(want.Shape, t.Shape):
		return fmt.Errorf("its shape is %s, want %s", ShapeString(t.Shape), ShapeString(want.Shape))
	}
	return nil
}
