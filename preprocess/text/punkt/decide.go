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
	return s.parameters.Abbreviations[word] || s.parameters.Abbreviations[word[strings.LastIndexByte(word, '-')+1:]]
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
	case s.parameters.Collocations[[2]string{t.wordKind(), next.kindInSentence()}]:
		t.endsSentence, t.abbreviation = false, true
		return
	case (t.abbreviation || t.ellipsis) && !initial && s.startsAfterAbbreviation(next):
		t.endsSentence = true
		return
	case !initial && t.wordKind() != numberKind:
		return
	}
	if starts := s.startsSentence(next); starts == noAnswer || starts == unknownAnswer && initial && s.isName(next) {
		t.endsSentence, t.abbreviation = false, true
	}
}

func (s *Splitter) startsAfterAbbreviation(next *textToken) bool {
	return s.startsSentence(next) == yesAnswer || next.startsUpper() && s.parameters.Starters[next.kindInSentence()]
}

// isName reports whether a word is capitalized and known only in capitalized form.
func (s *Splitter) isName(t *textToken) bool {
	return t.startsUpper() && s.parameters.Orthography[t.kindInSentence()]&lower == 0
}

// orthographyAnswer is a conclusion from orthography.
type orthographyAnswer uint8

const (
	unknownAnswer orthographyAnswer = iota
	yesAnswer
	noAnswer
)

// startsSentence reports whether a token starts a sentence. A capitalized word does if it is also known in lower case
// and never capitalized within a sentence. A word in lower case does not if it is known capitalized, or never known in
// lower case at the start of a sentence.
func (s *Splitter) startsSentence(t *textToken) orthographyAnswer {
	seen := s.parameters.Orthography[t.kindInSentence()]
	switch {
	case len(t.text) == 1 && strings.Contains(";:,.!?", t.text):
		return noAnswer
	case t.startsUpper() && seen&lower != 0 && seen&UpperInside == 0:
		return yesAnswer
	case t.startsLower() && (seen&upper != 0 || seen&LowerAtStart == 0):
		return noAnswer
	}
	return unknownAnswer
}
