package sentencepiece

import (
	"math"
	"slices"
	"unicode/utf8"
)

// unigramModel takes a text apart into the pieces with the highest sum of scores (Viterbi). Sums are float32, as in the
// reference, whose choice between equal sums depends on that.
type unigramModel struct {
	trie          *pieceTrie
	scores        []float32 // by id; unusable ones are not in the trie
	unknown       float32   // the score of an unknown character
	maxPieceBytes int       // bytes of a piece, or a character
}

// unknownPenalty is how much less an unknown character scores than the worst piece.
const unknownPenalty = 10

func newUnigram(m *Model) *unigramModel {
	u := &unigramModel{trie: newTrie(m.ids), unknown: math.MaxFloat32, maxPieceBytes: utf8.UTFMax}
	for _, p := range m.file.pieces {
		switch p.kind {
		case normal:
			u.unknown = min(u.unknown, p.score)
		case userDefined:
			p.score = float32(0.1 * float64(len(p.text)-1)) // whatever the file says
		}
		u.scores, u.maxPieceBytes = append(u.scores, p.score), max(u.maxPieceBytes, len(p.text))
	}
	u.unknown -= unknownPenalty
	return u
}

// bestPath is the end of the best path: the best way to split the text up to a place.
type bestPath struct {
	start int32 // of its last piece; noID: there is no way
	id    int32
	score float32
}

// appendBest appends the ids of a normalized text, in which runs of unknown characters are one unknown
// piece each, or their bytes.
func (m *Model) appendBest(dst []int32, s *encodeScratch, text string) []int32 {
	u := m.unigram
	s.ends = slices.Grow(s.ends[:0], len(text)+1)[:len(text)+1]
	for i := range s.ends {
		s.ends[i] = bestPath{start: noID}
	}
	for at := 0; at < len(text); {
		rebaseScores(s.ends[at:min(at+u.maxPieceBytes, len(s.ends))])
		_, size := utf8.DecodeRuneInString(text[at:])
		if !u.extendPaths(s.ends, text, at, size) {
			s.ends[at+size].improve(u.unknown+s.ends[at].score, at, m.unknown)
		}
		at += size
	}
	return m.appendPath(dst, s, text)
}

// farScore is the sum from which on sums begin at 0 again, so that they stay exact.
const farScore = 100_000

// rebaseScores takes the first of the ends away from all that there are, where it is far from 0.
func rebaseScores(ends []bestPath) {
	far := ends[0].score
	if far >= -farScore && far <= farScore {
		return
	}
	for i := range ends {
		if i == 0 || ends[i].start != noID {
			ends[i].score -= far
		}
	}
}

// improve takes a better way.
func (b *bestPath) improve(score float32, start int, id int32) {
	if b.start == noID || score > b.score {
		*b = bestPath{int32(start), id, score}
	}
}

// extendPaths tries all pieces that start at a place, and tells whether one of them is the character there, of that
// size.
func (u *unigramModel) extendPaths(ends []bestPath, text string, at, size int) (single bool) {
	before := ends[at].score
	node := int32(0)
	for end := at; end < len(text); {
		if node = u.trie.followEdge(node, text[end]); node == noID {
			break
		}
		end++
		id := u.trie.nodes[node].id
		if id == noID {
			continue
		}
		ends[end].improve(u.scores[id]+before, at, id)
		single = single || end-at == size
	}
	return single
}

// appendPath appends the pieces of the best path to the text's end.
func (m *Model) appendPath(dst []int32, s *encodeScratch, text string) []int32 {
	s.symbols = s.symbols[:0]
	for end := len(text); end > 0; end = int(s.ends[end].start) {
		s.symbols = append(s.symbols, int32(end))
	}
	run := false
	for _, end := range slices.Backward(s.symbols) {
		b := s.ends[end]
		switch {
		case b.id != m.unknown:
			dst = append(dst, b.id)
		case m.file.byteFallback:
			dst = m.appendBytes(dst, text[b.start:end])
		case !run:
			dst = append(dst, m.unknown)
		}
		run = b.id == m.unknown
	}
	return dst
}

func (m *Model) appendBytes(dst []int32, text string) []int32 {
	for i := range len(text) {
		dst = append(dst, m.bytes[text[i]])
	}
	return dst
}
