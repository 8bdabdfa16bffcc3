package punkt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// textToken is a word or a punctuation mark.
type textToken struct {
	text         string
	kind         string // text in lower case, or number
	abbreviation bool
	ellipsis     bool
	endsSentence bool
}

// numberKind is the kind of all numbers.
const numberKind = "##number##"

func newToken(text string) textToken {
	if isNumber(text) {
		return textToken{text: text, kind: numberKind}
	}
	return textToken{text: text, kind: pystr.Lower(text)}
}

// wordKind returns the kind without a final period.
func (t *textToken) wordKind() string {
	if utf8.RuneCountInString(t.kind) > 1 {
		return strings.TrimSuffix(t.kind, ".")
	}
	return t.kind
}

// kindInSentence returns the kind, without its final period if the token ends a sentence.
func (t *textToken) kindInSentence() string {
	if t.endsSentence {
		return t.wordKind()
	}
	return t.kind
}

func (t *textToken) startsUpper() bool {
	return unicode.In(firstRune(t.text), unicode.Lu, unicode.Other_Uppercase)
}
func (t *textToken) startsLower() bool {
	return unicode.In(firstRune(t.text), unicode.Ll, unicode.Other_Lowercase)
}

// isInitial reports whether the token consists of a letter and a period.
func (t *textToken) isInitial() bool {
	r, size := utf8.DecodeRuneInString(t.text)
	return t.text[size:] == "." && isLetter(r)
}

// isLetter reports whether r is a word character (Unicode Technical Standard 18, annex C) except a digit.
func isLetter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Pc, unicode.Join_Control)
}

// isNumber reports whether text consists of digits, periods, commas and dashes. A digit must be the first character
// after an optional sign and point.
func isNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	if text != "" && (text[0] == '.' || text[0] == ',') {
		text = text[1:]
	}
	return unicode.IsDigit(firstRune(text)) && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsDigit(r) && r != ',' && r != '.' && r != '-'
	}) < 0
}

// tokenize splits a text into words with their periods and commas, runs of dashes and periods, and single punctuation
// marks.
func tokenize(text string) []textToken {
	var tokens []textToken
	for line := range strings.SplitSeq(text, "\n") {
		if pystr.Trim(line) == "" {
			continue
		}
		for line = trimSpace(line); line != ""; line = trimSpace(line) {
			n := runLength(line)
			if n == 0 {
				n = wordLength(line)
			}
			tokens = append(tokens, newToken(line[:n]))
			line = line[n:]
		}
	}
	return tokens
}

// runLength returns the length of a run of dashes, of periods, or of three or more periods separated by single white
// space.
func runLength(text string) int {
	for _, sign := range []string{"-", "."} {
		if n := len(text) - len(strings.TrimLeft(text, sign)); n >= 2 {
			return n
		}
	}
	n, periods := 0, 0
	for strings.HasPrefix(text[n:], ".") {
		periods++
		r, size := utf8.DecodeRuneInString(text[n+1:])
		if !unicode.IsSpace(r) || !strings.HasPrefix(text[n+1+size:], ".") {
			n++
			break
		}
		n += 1 + size
	}
	if periods < 3 {
		return 0
	}
	return n
}

// wordLength returns the length of the word or punctuation mark at the start of text.
func wordLength(text string) int {
	r, n := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("(\"`{[:;&#*@)}]-,", r) {
		return n
	}
	for n < len(text) && !wordEnds(text[n:]) {
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return n
}

// wordEnds reports whether a word ends before text. A comma ends it only if the word would end after the comma.
func wordEnds(text string) bool {
	if wordStops(text) {
		return true
	}
	return text[0] == ',' && (len(text) == 1 || wordStops(text[1:]))
}

func wordStops(text string) bool {
	r := firstRune(text)
	return separatesWords(r) || unicode.IsSpace(r) || runLength(text) > 0
}

// separatesWords reports whether r is a character that is never part of a word.
func separatesWords(r rune) bool { return strings.ContainsRune(")\";}]*:@'({[?!"+quotes, r) }

// quotes contains the typographic quotes, which nltk supports since version 3.10.
const quotes = "\u2018\u2019\u201c\u201d\u00ab\u00bb"
