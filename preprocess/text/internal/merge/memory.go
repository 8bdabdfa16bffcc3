package merge

import "strings"

// Memory caches the results of pieces of text, since most words of a text recur. It uses a few megabytes at most. It is
// not safe for concurrent use.
type Memory struct {
	known map[string]idSpan
	ids   []int32 // of all known pieces
}

// idSpan is a part of Memory.ids.
type idSpan struct{ start, end int32 }

const (
	knownPieces    = 1 << 15
	maxKnownLength = 64 // bytes of a piece
)

// Recall returns what was kept for a piece. The result must not be changed, and is valid until the next call of Keep.
func (m *Memory) Recall(piece string) (ids []int32, ok bool) {
	s, ok := m.known[piece]
	return m.ids[s.start:s.end], ok
}

// Keep stores the result of a piece, unless the piece is long. When there are too many it forgets all.
func (m *Memory) Keep(piece string, ids []int32) {
	if len(piece) > maxKnownLength {
		return
	}
	if m.known == nil || len(m.known) >= knownPieces {
		m.known = make(map[string]idSpan)
		m.ids = m.ids[:0]
	}
	start := len(m.ids)
	m.ids = append(m.ids, ids...)
	m.known[strings.Clone(piece)] = idSpan{int32(start), int32(len(m.ids))}
}
