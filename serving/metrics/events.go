package metrics

import (
	"encoding/binary"
	"iter"
	"slices"
)

// TokenEvents are the token events of one stream, in the order in which they came: about four bytes each. Others are
// not kept. The zero value has none.
type TokenEvents struct {
	coded []byte // of each: the ns since the one before, then kind, text and number of ids
	n     int
	last  int64
	zero  int64 // what the first is counted from
	first func()
}

// OnFirst has a function called when the first event is kept, by Add: it must not block. Reset forgets it.
func (e *TokenEvents) OnFirst(f func()) { e.first = f }

// Add keeps an event if it is a token event. Events come in the order of their times.
func (e *TokenEvents) Add(ev StreamEvent) {
	if !ev.IsToken() {
		return
	}
	e.coded = binary.AppendVarint(e.coded, ev.At-e.last)
	word := uint64(ev.IDs)<<4 | uint64(ev.Kind)<<1
	if ev.Text {
		word |= 1
	}
	e.coded = binary.AppendUvarint(e.coded, word)
	e.last = ev.At
	if e.n++; e.n == 1 && e.first != nil {
		e.first()
	}
}

// Len is how many there are.
func (e *TokenEvents) Len() int { return e.n }

// Reset drops all, and keeps the memory.
func (e *TokenEvents) Reset() { *e = TokenEvents{coded: e.coded[:0]} }

// eventBytes is what an event takes where neighbours are less than 67 ms apart and have at most seven ids.
const eventBytes = 5

// Grow makes room for so many more events: Add allocates nothing until then.
func (e *TokenEvents) Grow(events int) { e.coded = slices.Grow(e.coded, events*eventBytes) }

// Shift moves all by so many nanoseconds.
func (e *TokenEvents) Shift(by int64) {
	e.zero += by
	e.last += by
}

// All are the events, in order.
func (e *TokenEvents) All() iter.Seq[StreamEvent] {
	return func(yield func(StreamEvent) bool) {
		at := e.zero
		for rest := e.coded; len(rest) > 0; {
			step, n := binary.Varint(rest)
			word, m := binary.Uvarint(rest[n:])
			rest = rest[n+m:]
			at += step
			if !yield(StreamEvent{At: at, Kind: EventKind(word >> 1 & 7), Text: word&1 == 1, IDs: int(word >> 4)}) {
				return
			}
		}
	}
}
