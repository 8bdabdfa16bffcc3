package bpe

import (
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"
)

// encoder is the working memory of one goroutine, and a memory of the pieces that it has met: most of a text is words that
// have been there before.
type encoder struct {
	merger  merge.Merger
	symbols []int32
	known   map[string]span
	ids     []int32 // of all known pieces
}

// span is a part of encoder.ids.
type span struct{ start, end int32 }

// The limits of what an encoder keeps: some megabytes.
const (
	knownPieces  = 1 << 15
	longestKnown = 64 // bytes
)

func newEncoder() *encoder { return &encoder{known: make(map[string]span)} }

// append appends the ids of a piece of text, which is not empty.
func (e *encoder) append(dst []int32, m *model, piece string) []int32 {
	for piece != "" {
		n := m.chunk(piece)
		dst = e.appendChunk(dst, m, piece[:n])
		piece = piece[n:]
	}
	return dst
}

func (e *encoder) appendChunk(dst []int32, m *model, chunk string) []int32 {
	if s, ok := e.known[chunk]; ok {
		return append(dst, e.ids[s.start:s.end]...)
	}
	start := len(dst)
	if id, ok := m.ids[chunk]; ok && m.ignoreMerges {
		dst = append(dst, id)
	} else {
		e.symbols = m.symbols(e.symbols[:0], chunk)
		dst = append(dst, e.merger.Apply(m.table, e.symbols)...)
	}
	if len(chunk) <= longestKnown {
		e.remember(chunk, dst[start:])
	}
	return dst
}

func (e *encoder) remember(chunk string, ids []int32) {
	if len(e.known) >= knownPieces {
		clear(e.known)
		e.ids = e.ids[:0]
	}
	start := len(e.ids)
	e.ids = append(e.ids, ids...)
	e.known[strings.Clone(chunk)] = span{int32(start), int32(len(e.ids))}
}
