package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// slotValue is the value of one slot: a tensor, or a session's handles of it, and the tensor's row for each row of the
// state.
type slotValue struct {
	tensor   backend.Tensor
	rows     []int32
	ownsData bool   // the tensor's memory is reused as spare
	spare    []byte // memory for the next copy
}

// isSet reports whether there is a value.
func (v *slotValue) isSet() bool { return v.tensor.Shape != nil }

// takeSpare returns memory for a copy of the value.
func (v *slotValue) takeSpare(n int) []byte {
	data := resizeSlice(v.spare, n)
	v.spare = nil
	return data
}

// setData sets the value to data, a tensor of the state's rows in order.
func (v *slotValue) setData(s *stateSlot, rows, width int, data []byte) {
	v.release()
	v.tensor = backend.Tensor{Name: s.name, DType: s.dtype, Shape: s.appendShape(nil, rows, width), Data: data}
	v.ownsData, v.rows = true, firstNumbers(v.rows, rows)
}

// fitsInPlace reports whether the remaining rows can be put in order in the value's own memory. It must be large enough
// for total rows of a width, and no row may be overwritten before it is read.
func (v *slotValue) fitsInPlace(s *stateSlot, stay, total, width int) bool {
	if !v.ownsData || s.rowAxis != 0 || s.widthOf(&v.tensor) != width || cap(v.tensor.Data) < s.byteSize(total, width) {
		return false
	}
	for i, row := range v.rows[:stay] {
		if int(row) != i && int(row) < stay {
			return false
		}
	}
	return true
}

// compactRows puts the remaining rows in order in the value's own memory, as the first rows of a tensor of total rows.
func (v *slotValue) compactRows(s *stateSlot, stay, total int) {
	width := s.widthOf(&v.tensor)
	n := s.byteSize(1, width)
	for i, row := range v.rows[:stay] {
		if int(row) != i {
			copy(v.tensor.Data[i*n:][:n], v.tensor.Data[int(row)*n:][:n])
		}
	}
	v.tensor.Data = v.tensor.Data[:total*n]
	v.tensor.Shape[0] = int64(total)
	v.rows = firstNumbers(v.rows, total)
}

// release removes the value.
func (v *slotValue) release() {
	for _, k := range v.tensor.Handles {
		k.Release()
	}
	if v.ownsData {
		v.spare = v.tensor.Data[:0]
	} else {
		v.tensor.Release()
	}
	v.tensor, v.ownsData, v.rows = backend.Tensor{}, false, v.rows[:0]
}

// isKept reports whether a session keeps the value.
func (v *slotValue) isKept() bool { return len(v.tensor.Handles) > 0 }

// keptTensor returns a value that a session keeps, as an input of a run.
func (v *slotValue) keptTensor() backend.Tensor {
	t := v.tensor
	if !isFirstInOrder(v.rows, int(t.Shape[0])) {
		t.Shape = slices.Clone(t.Shape)
		t.Shape[0], t.Rows = int64(len(v.rows)), v.rows
	}
	return t
}

// appendKept appends another value's handles to those of this one, and appends rows of it to the rows.
func (v *slotValue) appendKept(from *slotValue, rows []int32) {
	have := int64(0)
	if v.isSet() {
		have = v.tensor.Shape[0]
		v.tensor.Shape[0] += from.tensor.Shape[0]
		v.tensor.Handles = append(v.tensor.Handles, from.tensor.Handles...)
	} else {
		v.tensor = from.tensor
	}
	for _, r := range rows {
		v.rows = append(v.rows, int32(have)+r)
	}
	from.tensor, from.rows = backend.Tensor{}, from.rows[:0]
	v.releaseUnused()
}

// releaseUnused releases handles that no row uses any more.
func (v *slotValue) releaseUnused() {
	first := int32(0)
	v.tensor.Handles = slices.DeleteFunc(v.tensor.Handles, func(k *backend.OutputHandle) bool {
		n := int32(k.Shape()[0])
		if slices.ContainsFunc(v.rows, func(r int32) bool { return r >= first && r < first+n }) {
			first += n
			return false
		}
		for i, r := range v.rows {
			if r >= first+n {
				v.rows[i] -= n
			}
		}
		v.tensor.Shape[0] -= int64(n)
		k.Release()
		return true
	})
}
