package punkt

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// classifyToken classifies a token without context. Punctuation and periods end a sentence, except in ellipses and
// abbreviations.
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

// isAbbreviation reports whether a word, or the last part of a compound, is an abbreviation.
func (s *Splitter) isAbbreviation(word string) bool {
	return s.known.Abbreviations[word] || s.known.Abbreviations[word[strings.LastIndexByte(word, '-')+1:]]
}

// reconsiderPair reclassifies a token that ends in a period, with regard to the next one. The two may be a collocation,
// or the next one may start a sentence even after an abbreviation, or may not start one after an initial or an ordinal
// number.
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

// isName reports whether a word is capitalized and known only in capitalized form.
func (s *Splitter) isName(t *textToken) bool {
	return t.firstUpper() && s.known.Orthography[t.startedKind()]&lower == 0
}

// orthographyAnswer is a conclusion from orthography.
type orthographyAnswer uint8

const (
	unknown orthographyAnswer = iota
	yes
	no
)

// startsSentence reports whether a token starts a sentence. A capitalized word does if it is also known in lower case
// and never capitalized within a sentence. A word in lower case does not if it is known capitalized, or never known in
// lower case at the start of a sentence.
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
