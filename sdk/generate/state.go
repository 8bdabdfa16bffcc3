package generate

import (
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// state is the memory of an encoder-decoder: a value for each slot. Rows move by number; their bytes are copied where
// a run needs them in another order.
type state struct {
	slots   []slot
	values  []value
	sources []int // of each row, how wide its source is
	length  int   // tokens that the decoder was given, where all rows have the same number

	from        *state  // whose rows join
	joining     []int32 // which of them
	old         []int32
	peak, noted int
}

func (s *state) rows() int { return len(s.sources) }

// begin empties the state, for rows whose sources are so wide.
func (s *state) begin(sources []int) {
	s.drop(0)
	s.sources = append(s.sources, sources...)
	s.length = 0
}

// set makes a session's tensor, a row for each of the state, the value of a slot.
func (s *state) set(i int, t backend.Tensor) {
	v := &s.values[i]
	v.release()
	t.Shape = slices.Clone(t.Shape)
	v.tensor, v.rows = t, upTo(v.rows, s.rows())
}

// zero makes zeros the value of a slot, in the state's memory.
func (s *state) zero(i, width int) *backend.Tensor {
	v, sl := &s.values[i], &s.slots[i]
	data := v.room(sl.bytes(s.rows(), width))
	clear(data)
	v.own(sl, s.rows(), width, data)
	return &v.tensor
}

// tensor is the value of a slot, as a run takes it: the state's rows in their order. One that is not there is empty,
// or zero where it has no width.
func (s *state) tensor(i int) backend.Tensor {
	v, sl := &s.values[i], &s.slots[i]
	switch {
	case !v.there():
		return *s.zero(i, 0)
	case v.kept():
		return v.handles()
	case !inOrder(v.rows, int(v.tensor.Shape[sl.rows])):
		s.copy(i, sl.widthOf(&v.tensor))
	}
	return v.tensor
}

// copy makes a value one tensor of its rows and of those that join, of a width.
func (s *state) copy(i, width int) {
	v, sl, total := &s.values[i], &s.slots[i], s.rows()
	stay := total - len(s.joining)
	if v.fits(sl, stay, total, width) {
		v.fill(sl, stay, total)
		s.gatherJoining(v, sl, i, stay)
		return
	}
	data := v.room(sl.bytes(total, width))
	if stay > 0 {
		sl.gather(data, width, 0, total, &v.tensor, v.rows[:stay])
	}
	v.own(sl, total, width, data)
	s.gatherJoining(v, sl, i, stay)
}

// gatherJoining copies the rows that join to those of value i behind the ones that stay.
func (s *state) gatherJoining(v *value, sl *slot, i, stay int) {
	if len(s.joining) > 0 {
		sl.gather(v.tensor.Data, sl.widthOf(&v.tensor), stay, s.rows(), &s.from.values[i].tensor, s.joining)
	}
}

// add lets a row of another state join.
func (s *state) add(from memory, row int) {
	s.from = from.(*state)
	s.joining = append(s.joining, int32(row))
	s.sources = append(s.sources, s.from.sources[row])
}

// joined makes one tensor of each slot of the rows that were there and those that joined.
func (s *state) joined() {
	if len(s.joining) == 0 {
		return
	}
	first := len(s.joining) == s.rows()
	if first {
		s.length = s.from.length
	}
	for i := range s.values {
		s.join(i, first)
	}
	s.from.note()
	s.from.drop(0)
	s.from, s.joining = nil, s.joining[:0]
}

// join does for one slot what joined does. Where nothing was there and all rows come as they are, they change hands.
func (s *state) join(i int, first bool) {
	v, from := &s.values[i], &s.from.values[i]
	switch {
	case !from.there() || s.slots[i].first:
	case from.kept():
		v.take(from, s.joining)
	case first && inOrder(s.joining, s.from.rows()):
		*v, *from = *from, *v
	default:
		s.copy(i, s.widest(i))
	}
}

// widest is the width of a value after a join: that of the wider of both. Of a constant that is as wide as the sources,
// it is that of the widest source that is still there.
func (s *state) widest(i int) int {
	sl := &s.slots[i]
	joins := sl.widthOf(&s.from.values[i].tensor)
	n := joins
	if len(s.joining) < s.rows() {
		n = max(n, sl.widthOf(&s.values[i].tensor))
	}
	if sl.constant && joins == slices.Max(s.from.sources) {
		n = min(n, slices.Max(s.sources))
	}
	return n
}

// permute moves the states; constants are the same for all rows of a sequence.
func (s *state) permute(rows, from []int) {
	for i := range s.values {
		v := &s.values[i]
		if s.slots[i].constant || !v.there() {
			continue
		}
		s.old = s.old[:0]
		for _, f := range from {
			s.old = append(s.old, v.rows[rows[f]])
		}
		for j, row := range rows {
			v.rows[row] = s.old[j]
		}
	}
}

func (s *state) move(dst, src int) {
	s.sources[dst] = s.sources[src]
	for i := range s.values {
		if v := &s.values[i]; v.there() {
			v.rows[dst] = v.rows[src]
		}
	}
}

func (s *state) drop(n int) {
	s.sources = s.sources[:n]
	for i := range s.values {
		v := &s.values[i]
		if !v.there() {
			continue
		}
		if v.rows = v.rows[:n]; n == 0 {
			v.release()
		}
	}
}

func (s *state) fit(int) {}

func (s *state) grown() int64 {
	s.note()
	n := s.peak - s.noted
	s.noted = s.peak
	return int64(n)
}

// note keeps the most that was ever held.
func (s *state) note() {
	held := 0
	for i := range s.values {
		held += len(s.values[i].tensor.Data) + cap(s.values[i].spare)
	}
	s.peak = max(s.peak, held)
}
