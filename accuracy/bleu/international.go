package bleu

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// splitInternational tokenizes by mteval-v14's rule. It separates punctuation that does not follow a number, then
// punctuation that does not precede a number, then symbols. It handles each word on its own. The text's first word has
// no blank before it and the last word none after it, unless the text has.
func (c *tokenSplitter) splitInternational(text string) {
	before, word := text != pystr.TrimLeft(text), ""
	for next := range pystr.FieldsSeq(text) {
		if word != "" {
			c.splitInternationalWord(word, before, true)
			before = true
		}
		word = next
	}
	if word != "" {
		c.splitInternationalWord(word, before, text != pystr.TrimRight(text))
	}
}

// splitInternationalWord tokenizes a word. blankBefore and blankAfter state whether blanks surround the word in the
// text.
func (c *tokenSplitter) splitInternationalWord(word string, blankBefore, blankAfter bool) {
	if !containsAny(word, &nonPlainBytes) || !strings.ContainsFunc(word, isPunctOrSymbol) {
		c.all = append(c.all, word)
		return
	}
	c.from = appendBlankIf(append(appendBlankIf(c.from[:0], blankBefore), word...), blankAfter)
	c.separateRunes(func(a, b rune) bool { return !unicode.IsNumber(a) && unicode.IsPunct(b) }, "", " ", " ")
	c.separateRunes(func(a, b rune) bool { return unicode.IsPunct(a) && !unicode.IsNumber(b) }, " ", " ", "")
	c.to = c.to[:0]
	for text := c.from; len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		symbol := unicode.IsSymbol(r)
		c.to = appendBlankIf(append(appendBlankIf(c.to, symbol), text[:size]...), symbol)
		text = text[size:]
	}
	c.addFields(string(c.to))
}

// nonPlainBytes contains ASCII punctuation and symbols, and the bytes of non-ASCII characters.
var nonPlainBytes = addNonASCII(byteSet(signs + ".,-'"))

func addNonASCII(set [256]bool) [256]bool {
	for b := utf8.RuneSelf; b < len(set); b++ {
		set[b] = true
	}
	return set
}

func isPunctOrSymbol(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// separateRunes does the work of separateBytes for characters.
func (c *tokenSplitter) separateRunes(isSplit func(a, b rune) bool, before, between, after string) {
	c.to = c.to[:0]
	for text := c.from; len(text) > 0; {
		a, size := utf8.DecodeRune(text)
		b, next := utf8.DecodeRune(text[size:])
		if next == 0 || !isSplit(a, b) {
			c.to = append(c.to, text[:size]...)
			text = text[size:]
			continue
		}
		c.to = append(append(append(c.to, before...), text[:size]...), between...)
		c.to = append(append(c.to, text[size:size+next]...), after...)
		text = text[size+next:]
	}
	c.from, c.to = c.to, c.from
}
