package merge

import "strings"

// PieceCache caches the results for pieces of text, because most words of a text recur. It uses up to a few megabytes
// and is not safe for concurrent use.
type PieceCache struct {
	spans map[string]idSpan
	ids   []int32 // IDs of all cached pieces
}

// idSpan is a range in PieceCache.ids.
type idSpan struct{ start, end int32 }

const (
	maxCachedPieces = 1 << 15
	maxCachedLength = 64 // bytes of a piece
)

// Lookup returns the cached result for a piece. The caller must not change it. It is valid until the next call of
// Store.
func (m *PieceCache) Lookup(piece string) (ids []int32, ok bool) {
	s, ok := m.spans[piece]
	return m.ids[s.start:s.end], ok
}

// Store stores the result for a piece unless the piece is too long. If the cache is full, it is cleared first.
func (m *PieceCache) Store(piece string, ids []int32) {
	if len(piece) > maxCachedLength {
		return
	}
	if m.spans == nil || len(m.spans) >= maxCachedPieces {
		m.spans = make(map[string]idSpan)
		m.ids = m.ids[:0]
	}
	start := len(m.ids)
	m.ids = append(m.ids, ids...)
	m.spans[strings.Clone(piece)] = idSpan{int32(start), int32(len(m.ids))}
}
