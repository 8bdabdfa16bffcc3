package punkt

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// classifyToken looks at a token alone: signs and periods end a sentence, but for ellipses and abbreviations.
func (s *Splitter) classifyToken(t *textToken) {
	stem, period := strings.CutSuffix(t.text, ".")
	switch {
	case len(t.text) == 1 && endsSentence(t.text[0]):
		t.endsSentence = true
	case len(t.text) > 1 && strings.Trim(t.text, ".") == "":
		t.ellipsis = true
	case !period || strings.HasSuffix(stem, "."):
	case s.isAbbreviation(pystr.Lower(stem)):
		t.abbreviation = true
	default:
		t.endsSentence = true
	}
}

// isAbbreviation knows words, and compounds by their last part.
func (s *Splitter) isAbbreviation(word string) bool {
	return s.known.Abbreviations[word] || s.known.Abbreviations[word[strings.LastIndexByte(word, '-')+1:]]
}

// reconsiderPair looks at a token that ends in a period, and the next one: that may be a pair of words that belong
// together, or a word that starts a sentence even after an abbreviation, or one that does not start one after
// an initial or an ordinal.
func (s *Splitter) reconsiderPair(t, next *textToken) {
	if !strings.HasSuffix(t.text, ".") {
		return
	}
	initial := t.isInitial()
	switch {
	case s.known.Collocations[[2]string{t.wordKind(), next.startedKind()}]:
		t.endsSentence, t.abbreviation = false, true
		return
	case (t.abbreviation || t.ellipsis) && !initial && s.startsAfterAbbreviation(next):
		t.endsSentence = true
		return
	case !initial && t.wordKind() != number:
		return
	}
	if starts := s.startsSentence(next); starts == no || starts == unknown && initial && s.isName(next) {
		t.endsSentence, t.abbreviation = false, true
	}
}

func (s *Splitter) startsAfterAbbreviation(next *textToken) bool {
	return s.startsSentence(next) == yes || next.firstUpper() && s.known.Starters[next.startedKind()]
}

// isName tells words that are capitalized, and have never been seen otherwise.
func (s *Splitter) isName(t *textToken) bool {
	return t.firstUpper() && s.known.Orthography[t.startedKind()]&lower == 0
}

// orthographyAnswer is what orthography says.
type orthographyAnswer uint8

const (
	unknown orthographyAnswer = iota
	yes
	no
)

// startsSentence tells whether a token starts a sentence. A capitalized word does if it is also known in lower case,
// and never capitalized within a sentence. One in lower case does not, if it is known capitalized, or never
// in lower case at a start.
func (s *Splitter) startsSentence(t *textToken) orthographyAnswer {
	seen := s.known.Orthography[t.startedKind()]
	switch {
	case len(t.text) == 1 && strings.Contains(";:,.!?", t.text):
		return no
	case t.firstUpper() && seen&lower != 0 && seen&UpperInside == 0:
		return yes
	case t.firstLower() && (seen&upper != 0 || seen&LowerAtStart == 0):
		return no
	}
	return unknown
}
