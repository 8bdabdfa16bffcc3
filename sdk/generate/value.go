package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// value is what is there for one slot: a tensor, or what a session keeps of it, and which of its rows each row of the
// state is.
type value struct {
	tensor backend.Tensor
	rows   []int32
	mine   bool   // the tensor's memory, which goes back to spare
	spare  []byte // what the next copy is made in
}

// there says whether there is a value.
func (v *value) there() bool { return v.tensor.Shape != nil }

// room is memory for a copy of the value.
func (v *value) room(n int) []byte {
	data := sized(v.spare, n)
	v.spare = nil
	return data
}

// own makes data, a tensor of the state's rows in their order, the value.
func (v *value) own(s *slot, rows, width int, data []byte) {
	v.release()
	v.tensor = backend.Tensor{Name: s.name, DType: s.dtype, Shape: s.shaped(nil, rows, width), Data: data}
	v.mine, v.rows = true, upTo(v.rows, rows)
}

// fits says that the value's own memory takes so many rows of a width, and that no row would be written before it is
// read if those that stay were put in order there.
func (v *value) fits(s *slot, stay, total, width int) bool {
	if !v.mine || s.rows != 0 || s.widthOf(&v.tensor) != width || cap(v.tensor.Data) < s.bytes(total, width) {
		return false
	}
	for i, row := range v.rows[:stay] {
		if int(row) != i && int(row) < stay {
			return false
		}
	}
	return true
}

// fill puts the rows that stay in order where the value is, as the first of a tensor of so many rows.
func (v *value) fill(s *slot, stay, total int) {
	width := s.widthOf(&v.tensor)
	n := s.bytes(1, width)
	for i, row := range v.rows[:stay] {
		if int(row) != i {
			copy(v.tensor.Data[i*n:][:n], v.tensor.Data[int(row)*n:][:n])
		}
	}
	v.tensor.Data = v.tensor.Data[:total*n]
	v.tensor.Shape[0] = int64(total)
	v.rows = upTo(v.rows, total)
}

// release forgets the value.
func (v *value) release() {
	for _, k := range v.tensor.Kept {
		k.Release()
	}
	if v.mine {
		v.spare = v.tensor.Data[:0]
	} else {
		v.tensor.Release()
	}
	v.tensor, v.mine, v.rows = backend.Tensor{}, false, v.rows[:0]
}

// kept says that a session has the value.
func (v *value) kept() bool { return len(v.tensor.Kept) > 0 }

// handles is the value that a session has, as a run takes it.
func (v *value) handles() backend.Tensor {
	t := v.tensor
	if !inOrder(v.rows, int(t.Shape[0])) {
		t.Shape = slices.Clone(t.Shape)
		t.Shape[0], t.Rows = int64(len(v.rows)), v.rows
	}
	return t
}

// take puts what a session has of another value behind what it has of this one, and makes rows of it the last ones.
func (v *value) take(from *value, rows []int32) {
	have := int64(0)
	if v.there() {
		have = v.tensor.Shape[0]
		v.tensor.Shape[0] += from.tensor.Shape[0]
		v.tensor.Kept = append(v.tensor.Kept, from.tensor.Kept...)
	} else {
		v.tensor = from.tensor
	}
	for _, r := range rows {
		v.rows = append(v.rows, int32(have)+r)
	}
	from.tensor, from.rows = backend.Tensor{}, from.rows[:0]
	v.prune()
}

// prune releases what no row is of any more.
func (v *value) prune() {
	first := int32(0)
	v.tensor.Kept = slices.DeleteFunc(v.tensor.Kept, func(k *backend.Kept) bool {
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
