package bpe

import "github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"

// encodeScratch is the working memory of one goroutine.
type encodeScratch struct {
	merger  merge.Merger
	cache   merge.PieceCache
	symbols []int32
}

// appendPiece appends the IDs of a piece of text.
func (e *encodeScratch) appendPiece(dst []int32, m *mergeModel, piece string) []int32 {
	for piece != "" {
		n := m.chunkLength(piece)
		dst = e.appendChunk(dst, m, piece[:n])
		piece = piece[n:]
	}
	return dst
}

func (e *encodeScratch) appendChunk(dst []int32, m *mergeModel, chunk string) []int32 {
	if ids, ok := e.cache.Lookup(chunk); ok {
		return append(dst, ids...)
	}
	start := len(dst)
	if id, ok := m.ids[chunk]; ok && m.ignoreMerges {
		dst = append(dst, id)
	} else {
		e.symbols = m.appendSymbols(e.symbols[:0], chunk)
		dst = append(dst, e.merger.Apply(m.mergeTable, e.symbols)...)
	}
	e.cache.Store(chunk, dst[start:])
	return dst
}
