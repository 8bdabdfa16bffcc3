package metrics

import (
	"encoding/binary"
	"iter"
	"slices"
)

// TokenEvents contains the token events of one stream in order of arrival, about four bytes each. It drops other
// events. The zero value is empty.
type TokenEvents struct {
	coded []byte // for each event: the ns since the previous one, then kind, text and number of ids
	n     int
	last  int64
	zero  int64 // the time from which the first event is counted
	first func()
}

// OnFirst sets a function that Add calls when it stores the first event. The function must not block. Reset removes it.
func (e *TokenEvents) OnFirst(f func()) { e.first = f }

// Add stores an event if it is a token event. Events must be added in order of time.
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

// Len returns the number of events.
func (e *TokenEvents) Len() int { return e.n }

// Reset removes all events and keeps the memory.
func (e *TokenEvents) Reset() { *e = TokenEvents{coded: e.coded[:0]} }

// eventBytes is the size of an event that follows the previous one within 67 ms and has no more than seven ids.
const eventBytes = 5

// Grow makes room for a number of further events, so that Add does not allocate memory for them.
func (e *TokenEvents) Grow(events int) { e.coded = slices.Grow(e.coded, events*eventBytes) }

// Shift adds a number of nanoseconds to all times.
func (e *TokenEvents) Shift(by int64) {
	e.zero += by
	e.last += by
}

// All returns the events in order.
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
