package measure

import (
	"encoding/binary"
	"iter"
)

// Events are the token events of one stream, in the order in which they came: about four bytes each. Others are not
// kept. The zero value has none.
type Events struct {
	coded []byte // of each: the ns since the one before, then kind, text and number of ids
	n     int
	last  int64
}

// Add keeps an event if it is a token event. Events come in the order of their times.
func (e *Events) Add(ev Event) {
	if !ev.Token() {
		return
	}
	e.coded = binary.AppendVarint(e.coded, ev.At-e.last)
	word := uint64(ev.IDs)<<4 | uint64(ev.Kind)<<1
	if ev.Text {
		word |= 1
	}
	e.coded = binary.AppendUvarint(e.coded, word)
	e.last = ev.At
	e.n++
}

// Len is how many there are.
func (e *Events) Len() int { return e.n }

// Reset drops all, and keeps the memory.
func (e *Events) Reset() { *e = Events{coded: e.coded[:0]} }

// All are the events, in order.
func (e *Events) All() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		var at int64
		for rest := e.coded; len(rest) > 0; {
			step, n := binary.Varint(rest)
			word, m := binary.Uvarint(rest[n:])
			rest = rest[n+m:]
			at += step
			if !yield(Event{At: at, Kind: Kind(word >> 1 & 7), Text: word&1 == 1, IDs: int(word >> 4)}) {
				return
			}
		}
	}
}
