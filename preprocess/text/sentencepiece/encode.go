package sentencepiece

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"
)

// toSymbol returns the symbol of a character or a piece during merging: its ID or, for a character that is not a piece,
// the complement of its code point, which is negative.
func (m *Model) toSymbol(text string) (symbol int32, ok bool) {
	if id, ok := m.ids[text]; ok {
		return id, m.file.pieces[id].kind != userDefinedKind
	}
	r, size := utf8.DecodeRuneInString(text)
	return ^r, size == len(text)
}

// makeMergeRules returns the ways to form a piece from two symbols. The rank of a piece is the position of its score in
// the sorted scores.
func (m *Model) makeMergeRules() (pairs []merge.MergeRule) {
	ranks := m.rankScores()
	for id, p := range m.file.pieces {
		if p.kind != normalKind {
			continue
		}
		for i := range p.text {
			if i == 0 {
				continue
			}
			left, okLeft := m.toSymbol(p.text[:i])
			right, okRight := m.toSymbol(p.text[i:])
			if okLeft && okRight {
				pairs = append(pairs, merge.MergeRule{Left: left, Right: right, Symbol: int32(id), Rank: ranks[p.score]})
			}
		}
	}
	return pairs
}

func (m *Model) rankScores() map[float32]int32 {
	scores := make([]float32, len(m.file.pieces))
	for i, p := range m.file.pieces {
		scores[i] = p.score
	}
	slices.SortFunc(scores, func(a, b float32) int { return cmp.Compare(b, a) })
	ranks := make(map[float32]int32, len(scores))
	for _, score := range slices.Compact(scores) {
		if !math.IsNaN(float64(score)) {
			ranks[score] = int32(len(ranks))
		}
	}
	return ranks
}

// encodeScratch is the working memory of one goroutine.
type encodeScratch struct {
	merger    merge.Merger
	cache     merge.PieceCache
	symbols   []int32
	bestPaths []bestPath // for unigram models
}

// Encode appends the IDs of a text to dst. Each invalid byte counts as U+FFFD.
func (m *Model) Encode(dst []int32, text string) []int32 {
	return m.encodeNormalized(dst, m.normalizeText(text, m.file.dummyPrefix))
}

func (m *Model) encodeNormalized(dst []int32, text string) []int32 {
	s, ok := m.scratchPool.Get().(*encodeScratch)
	if !ok {
		s = &encodeScratch{}
	}
	defer m.scratchPool.Put(s)
	if m.unigram != nil {
		return m.appendBest(dst, s, text)
	}
	for text != "" {
		n := m.chunkLength(text)
		dst = m.appendChunk(dst, s, text[:n])
		text = text[n:]
	}
	return dst
}

// chunkLength returns the length of the first part at which a text can be cut without changing its pieces. The cut is
// before a blank that follows another character. It requires that no piece contains such a blank inside.
func (m *Model) chunkLength(text string) int {
	if !m.cutsAtBlanks {
		return len(text)
	}
	lead := 0
	for strings.HasPrefix(text[lead:], blank) {
		lead += len(blank)
	}
	if end := strings.Index(text[lead:], blank); end > 0 {
		return lead + end
	}
	return len(text)
}

func (m *Model) appendChunk(dst []int32, s *encodeScratch, chunk string) []int32 {
	if ids, ok := s.cache.Lookup(chunk); ok {
		return append(dst, ids...)
	}
	start := len(dst)
	s.symbols = s.symbols[:0]
	first := 0 // first symbol after the last user-defined piece, which no merge crosses
	flush := func() {
		dst = m.appendMerged(dst, s.merger.Apply(m.mergeTable, s.symbols[first:]))
		first = len(s.symbols)
	}
	for rest := chunk; rest != ""; {
		if symbol := m.findUserPiece(rest); symbol != "" {
			flush()
			dst = append(dst, m.ids[symbol])
			rest = rest[len(symbol):]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		id, ok := m.ids[rest[:size]]
		if !ok {
			id = ^r
		}
		s.symbols = append(s.symbols, id)
		rest = rest[size:]
	}
	flush()
	s.cache.Store(chunk, dst[start:])
	return dst
}

// appendMerged appends the IDs of merged symbols. A character that is not a piece becomes its bytes. Without byte
// pieces, a run of such characters becomes one unknown piece.
func (m *Model) appendMerged(dst []int32, symbols []int32) []int32 {
	run := false
	for _, symbol := range symbols {
		switch {
		case symbol >= 0:
			dst = append(dst, symbol)
		case m.file.byteFallback:
			dst = m.appendBytes(dst, string(^symbol))
		case !run:
			dst = append(dst, m.unknown)
		}
		run = symbol < 0
	}
	return dst
}
