package punkt

import (
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
)

// classify looks at a token alone: signs and periods end a sentence, but for ellipses and abbreviations.
func (s *Splitter) classify(t *token) {
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

// reconsider looks at a token that ends in a period, and the next one: that may be a pair of words that belong
// together, or a word that starts a sentence even after an abbreviation, or one that does not start one after
// an initial or an ordinal.
func (s *Splitter) reconsider(t, next *token) {
	if !strings.HasSuffix(t.text, ".") {
		return
	}
	initial := t.isInitial()
	switch {
	case s.known.Collocations[[2]string{t.word(), next.started()}]:
		t.endsSentence, t.abbreviation = false, true
		return
	case (t.abbreviation || t.ellipsis) && !initial && s.startsAfterAbbreviation(next):
		t.endsSentence = true
		return
	case !initial && t.word() != number:
		return
	}
	if starts := s.starts(next); starts == no || starts == unknown && initial && s.isName(next) {
		t.endsSentence, t.abbreviation = false, true
	}
}

func (s *Splitter) startsAfterAbbreviation(next *token) bool {
	return s.starts(next) == yes || next.firstUpper() && s.known.Starters[next.started()]
}

// isName tells words that are capitalized, and have never been seen otherwise.
func (s *Splitter) isName(t *token) bool {
	return t.firstUpper() && s.known.Orthography[t.started()]&lower == 0
}

// answer is what orthography says.
type answer uint8

const (
	unknown answer = iota
	yes
	no
)

// starts tells whether a token starts a sentence. A capitalized word does if it is also known in lower case,
// and never capitalized within a sentence. One in lower case does not, if it is known capitalized, or never
// in lower case at a start.
func (s *Splitter) starts(t *token) answer {
	seen := s.known.Orthography[t.started()]
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
