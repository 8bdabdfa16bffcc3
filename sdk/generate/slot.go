package generate

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// stateSlot is one tensor that an encoder-decoder keeps for each sequence between runs. It is a state, which each step
// replaces, or a constant, which keeps the value of the encoder or of the first run.
type stateSlot struct {
	name         string
	dtype        backend.DType
	shape        []int64 // -1 for rows and, if it is free, for the width
	rowAxis      int     // the axis of rows
	widthAxis    int     // the axis of the width of a source or a past; -1: none
	constant     bool
	firstRunOnly bool // only the first run reads it
}

// newSlot derives a slot's axes from its shape. The first free axis is that of rows, the second that of the width. ok
// is false if there is no axis of rows, if there is a third free axis, or if a row exceeds maxElements.
func newSlot(info backend.TensorInfo) (s stateSlot, ok bool) {
	s = stateSlot{name: info.Name, dtype: info.DType, shape: info.Shape, rowAxis: -1, widthAxis: -1}
	for axis, d := range info.Shape {
		switch {
		case d >= 0:
		case s.rowAxis < 0:
			s.rowAxis = axis
		case s.widthAxis < 0:
			s.widthAxis = axis
		default:
			return s, false
		}
	}
	return s, s.rowAxis >= 0 && backend.Elements(s.appendShape(nil, 1, 1)) <= maxElements
}

// maxElements is the maximum number of values in a row with a width of 1. Real models have far fewer.
const maxElements = 1 << 32

// appendShape appends the shape of rows of a width to dst.
func (s *stateSlot) appendShape(dst []int64, rows, width int) []int64 {
	dst = append(dst, s.shape...)
	dst[s.rowAxis] = int64(rows)
	if s.widthAxis >= 0 {
		dst[s.widthAxis] = int64(width)
	}
	return dst
}

// widthOf returns the width of a tensor, or 0 if the slot has no width.
func (s *stateSlot) widthOf(t *backend.Tensor) int {
	if s.widthAxis < 0 {
		return 0
	}
	return int(t.Shape[s.widthAxis])
}

// byteSize returns the size of rows of a width in bytes.
func (s *stateSlot) byteSize(rows, width int) int {
	return int(backend.Elements(s.appendShape(make([]int64, 0, 8), rows, width))) * s.dtype.Size()
}

// checkTensor returns an error if a tensor with this number of rows cannot be the slot's value.
func (s *stateSlot) checkTensor(t *backend.Tensor, rows int) error {
	ok := t.DType == s.dtype && len(t.Shape) == len(s.shape)
	for i := range s.shape {
		ok = ok && (s.shape[i] < 0 || s.shape[i] == t.Shape[i])
	}
	if !ok || t.Shape[s.rowAxis] != int64(rows) {
		want := s.appendShape(nil, rows, -1)
		return fmt.Errorf("%s is %v%s, want %v%s", s.name, t.DType, backend.ShapeString(t.Shape), s.dtype,
			backend.ShapeString(want))
	}
	return nil
}

// blockCounts returns the layout of a tensor's bytes. outer is the product of the dimensions before the rows, middle
// the product of those between rows and width, and column the size of one column in bytes.
func (s *stateSlot) blockCounts() (outer, middle, column int) {
	behind := s.rowAxis + 1
	if s.widthAxis >= 0 {
		middle = int(backend.Elements(s.shape[behind:s.widthAxis]))
		behind = s.widthAxis + 1
	} else {
		middle = 1
	}
	return int(backend.Elements(s.shape[:s.rowAxis])), middle, int(backend.Elements(s.shape[behind:])) * s.dtype.Size()
}

// gatherRows copies rows of src to the rows of dst from at on. dst is a tensor of total rows of a width. If src is
// narrower, the right part stays zero. If it is wider, it is cut.
func (s *stateSlot) gatherRows(dst []byte, width, at, total int, src *backend.Tensor, rows []int32) {
	outer, middle, column := s.blockCounts()
	have, from, to := int(src.Shape[s.rowAxis]), column, column
	if s.widthAxis >= 0 {
		from, to = from*s.widthOf(src), to*width
	}
	for o := range outer {
		for i, row := range rows {
			for m := range middle {
				piece := dst[((o*total+at+i)*middle+m)*to:][:to]
				n := copy(piece, src.Data[((o*have+int(row))*middle+m)*from:][:from])
				clear(piece[n:])
			}
		}
	}
}

// isFirstInOrder reports whether rows are the first n rows, each once and in order.
func isFirstInOrder(rows []int32, n int) bool {
	return len(rows) == n && !slices.ContainsFunc(rows, func(r int32) bool { return int(r) >= n }) && isAscending(rows)
}

func isAscending(rows []int32) bool {
	for i, r := range rows {
		if int(r) != i {
			return false
		}
	}
	return true
}

// firstNumbers returns the numbers below n.
func firstNumbers(dst []int32, n int) []int32 {
	dst = dst[:0]
	for i := range n {
		dst = append(dst, int32(i))
	}
	return dst
}
