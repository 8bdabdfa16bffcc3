package sentencepiece

import (
	"math"
	"slices"
	"unicode/utf8"
)

// unigramModel splits a text into the pieces with the highest sum of scores (Viterbi). Sums are float32 as in the
// reference, because this affects the choice between nearly equal sums.
type unigramModel struct {
	trie          *pieceTrie
	scores        []float32 // by ID; unusable pieces are not in the trie
	unknownScore  float32   // score of an unknown character
	maxPieceBytes int       // maximum length of a piece or a character
}

// unknownPenalty is the difference between the worst piece's score and that of an unknown character.
const unknownPenalty = 10

func newUnigramModel(m *Model) *unigramModel {
	u := &unigramModel{trie: newPieceTrie(m.ids), unknownScore: math.MaxFloat32, maxPieceBytes: utf8.UTFMax}
	for _, p := range m.file.pieces {
		switch p.kind {
		case normalKind:
			u.unknownScore = min(u.unknownScore, p.score)
		case userDefinedKind:
			p.score = float32(0.1 * float64(len(p.text)-1)) // the file's score is ignored
		}
		u.scores, u.maxPieceBytes = append(u.scores, p.score), max(u.maxPieceBytes, len(p.text))
	}
	u.unknownScore -= unknownPenalty
	return u
}

// bestPath is the best path, which is the best split of the text, up to a position.
type bestPath struct {
	start int32 // start of its last piece; noID: there is no path
	id    int32
	score float32
}

// appendBest appends the IDs of a normalized text. Each run of unknown characters becomes one unknown piece, or its
// bytes.
func (m *Model) appendBest(dst []int32, s *encodeScratch, text string) []int32 {
	u := m.unigram
	s.bestPaths = slices.Grow(s.bestPaths[:0], len(text)+1)[:len(text)+1]
	for i := range s.bestPaths {
		s.bestPaths[i] = bestPath{start: noID}
	}
	for at := 0; at < len(text); {
		rebaseScores(s.bestPaths[at:min(at+u.maxPieceBytes, len(s.bestPaths))])
		_, size := utf8.DecodeRuneInString(text[at:])
		if !u.extendPaths(s.bestPaths, text, at, size) {
			s.bestPaths[at+size].update(u.unknownScore+s.bestPaths[at].score, at, m.unknown)
		}
		at += size
	}
	return m.appendPath(dst, s, text)
}

// rebaseScore is the sum above which sums are rebased to 0, so that they stay exact.
const rebaseScore = 100_000

// rebaseScores subtracts the first score from all of them if it is far from 0.
func rebaseScores(ends []bestPath) {
	far := ends[0].score
	if far >= -rebaseScore && far <= rebaseScore {
		return
	}
	for i := range ends {
		if i == 0 || ends[i].start != noID {
			ends[i].score -= far
		}
	}
}

// update replaces the path if the new one has a higher score.
func (b *bestPath) update(score float32, start int, id int32) {
	if b.start == noID || score > b.score {
		*b = bestPath{int32(start), id, score}
	}
}

// extendPaths tries all pieces that start at a position. It reports whether one of them is the single character there,
// which has size bytes.
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
		ends[end].update(u.scores[id]+before, at, id)
		single = single || end-at == size
	}
	return single
}

// appendPath appends the pieces of the best path to the end of the text.
func (m *Model) appendPath(dst []int32, s *encodeScratch, text string) []int32 {
	s.symbols = s.symbols[:0]
	for end := len(text); end > 0; end = int(s.bestPaths[end].start) {
		s.symbols = append(s.symbols, int32(end))
	}
	run := false
	for _, end := range slices.Backward(s.symbols) {
		b := s.bestPaths[end]
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
		dst = append(dst, m.byteIDs[text[i]])
	}
	return dst
}
