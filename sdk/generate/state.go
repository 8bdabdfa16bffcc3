package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// coderState is the memory of an encoder-decoder: a value for each slot. Moving rows changes only their numbers. Their
// bytes are copied when a run needs another order.
type coderState struct {
	slots   []stateSlot
	values  []slotValue
	sources []int // for each row: width of its source
	length  int   // number of tokens that the decoder has read, if it is the same for all rows

	joinSource     *coderState // state of the joining rows
	joinRows       []int32     // indices of the joining rows
	oldRows        []int32
	peak, reported int
}

func (s *coderState) rows() int { return len(s.sources) }

// begin empties the state for rows with these source widths.
func (s *coderState) begin(sources []int) {
	s.dropRows(0)
	s.sources = append(s.sources, sources...)
	s.length = 0
}

// setValue sets the value of a slot to a session's tensor, which has a row for each row of the state.
func (s *coderState) setValue(i int, t backend.Tensor) {
	v := &s.values[i]
	v.release()
	t.Shape = slices.Clone(t.Shape)
	v.tensor, v.rows = t, firstNumbers(v.rows, s.rows())
}

// setZeros sets the value of a slot to zeros, in the state's memory.
func (s *coderState) setZeros(i, width int) *backend.Tensor {
	v, sl := &s.values[i], &s.slots[i]
	data := v.takeSpare(sl.byteSize(s.rows(), width))
	clear(data)
	v.setData(sl, s.rows(), width, data)
	return &v.tensor
}

// valueTensor returns the value of a slot for a run, with the state's rows in order. A missing value is an empty
// tensor, or zeros if the slot has no width.
func (s *coderState) valueTensor(i int) backend.Tensor {
	v, sl := &s.values[i], &s.slots[i]
	switch {
	case !v.isSet():
		return *s.setZeros(i, 0)
	case v.isKept():
		return v.keptTensor()
	case !isFirstInOrder(v.rows, int(v.tensor.Shape[sl.rowAxis])):
		s.copyValue(i, sl.widthOf(&v.tensor))
	}
	return v.tensor
}

// copyValue copies the value's rows and the joining rows to one tensor of a width.
func (s *coderState) copyValue(i, width int) {
	v, sl, total := &s.values[i], &s.slots[i], s.rows()
	stay := total - len(s.joinRows)
	if v.fitsInPlace(sl, stay, total, width) {
		v.compactRows(sl, stay, total)
		s.gatherJoining(v, sl, i, stay)
		return
	}
	data := v.takeSpare(sl.byteSize(total, width))
	if stay > 0 {
		sl.gatherRows(data, width, 0, total, &v.tensor, v.rows[:stay])
	}
	v.setData(sl, total, width, data)
	s.gatherJoining(v, sl, i, stay)
}

// gatherJoining appends the joining rows to those of value i that stay.
func (s *coderState) gatherJoining(v *slotValue, sl *stateSlot, i, stay int) {
	if len(s.joinRows) > 0 {
		sl.gatherRows(v.tensor.Data, sl.widthOf(&v.tensor), stay, s.rows(), &s.joinSource.values[i].tensor, s.joinRows)
	}
}

// addRow adds a row of another state to the joining rows.
func (s *coderState) addRow(from rowMemory, row int) {
	s.joinSource = from.(*coderState)
	s.joinRows = append(s.joinRows, int32(row))
	s.sources = append(s.sources, s.joinSource.sources[row])
}

// finishJoin makes one tensor of each slot from the existing and the joining rows.
func (s *coderState) finishJoin() {
	if len(s.joinRows) == 0 {
		return
	}
	first := len(s.joinRows) == s.rows()
	if first {
		s.length = s.joinSource.length
	}
	for i := range s.values {
		s.joinSlot(i, first)
	}
	s.joinSource.notePeak()
	s.joinSource.dropRows(0)
	s.joinSource, s.joinRows = nil, s.joinRows[:0]
}

// joinSlot does this for one slot. If there were no rows and all rows join in order, it takes over the tensor without a
// copy.
func (s *coderState) joinSlot(i int, first bool) {
	v, from := &s.values[i], &s.joinSource.values[i]
	switch {
	case !from.isSet() || s.slots[i].firstRunOnly:
	case from.isKept():
		v.appendKept(from, s.joinRows)
	case first && isFirstInOrder(s.joinRows, s.joinSource.rows()):
		*v, *from = *from, *v
	default:
		s.copyValue(i, s.joinedWidth(i))
	}
}

// joinedWidth returns the width of a value after a join: the larger of both. For a constant that is as wide as the
// sources, it is the width of the widest remaining source.
func (s *coderState) joinedWidth(i int) int {
	sl := &s.slots[i]
	joins := sl.widthOf(&s.joinSource.values[i].tensor)
	n := joins
	if len(s.joinRows) < s.rows() {
		n = max(n, sl.widthOf(&s.values[i].tensor))
	}
	if sl.constant && joins == slices.Max(s.joinSource.sources) {
		n = min(n, slices.Max(s.sources))
	}
	return n
}

// permute implements rowMemory. It moves only states, because constants are the same for all rows of a sequence.
func (s *coderState) permute(rows, from []int) {
	for i := range s.values {
		v := &s.values[i]
		if s.slots[i].constant || !v.isSet() {
			continue
		}
		s.oldRows = s.oldRows[:0]
		for _, f := range from {
			s.oldRows = append(s.oldRows, v.rows[rows[f]])
		}
		for j, row := range rows {
			v.rows[row] = s.oldRows[j]
		}
	}
}

func (s *coderState) copyRowOver(dst, src int) {
	s.sources[dst] = s.sources[src]
	for i := range s.values {
		if v := &s.values[i]; v.isSet() {
			v.rows[dst] = v.rows[src]
		}
	}
}

func (s *coderState) dropRows(n int) {
	s.sources = s.sources[:n]
	for i := range s.values {
		v := &s.values[i]
		if !v.isSet() {
			continue
		}
		if v.rows = v.rows[:n]; n == 0 {
			v.release()
		}
	}
}

func (s *coderState) fitWidth(int) {}

func (s *coderState) takeGrowth() int64 {
	s.notePeak()
	n := s.peak - s.reported
	s.reported = s.peak
	return int64(n)
}

// notePeak updates the peak size.
func (s *coderState) notePeak() {
	held := 0
	for i := range s.values {
		held += len(s.values[i].tensor.Data) + cap(s.values[i].spare)
	}
	s.peak = max(s.peak, held)
}
