package bleu

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// SacreTokenizer is sacreBLEU's method of splitting a text into tokens.
type SacreTokenizer int

// The tokenizers of sacreBLEU. T13a is the tokenizer of WMT.
const (
	T13a  SacreTokenizer = iota // mteval-v13a: separates ASCII punctuation, except points and commas within numbers
	Intl                        // mteval-v14: separates punctuation and symbols of all scripts
	Plain                       // splits at white space
	Char                        // splits into characters
	Zh                          // splits Chinese characters, and other text like T13a
)

var tokenizers = [...]string{T13a: "13a", Intl: "intl", Plain: "none", Char: "char", Zh: "zh"}

// ParseTokenizer returns the tokenizer with the given name: 13a, intl, none, char or zh.
func ParseTokenizer(name string) (SacreTokenizer, error) {
	for t, of := range tokenizers {
		if of == name {
			return SacreTokenizer(t), nil
		}
	}
	return 0, fmt.Errorf("%w: tokenizer %q, want one of %s", ErrOption, name, strings.Join(tokenizers[:], ", "))
}

func (t SacreTokenizer) String() string { return tokenizers[t] }

// Tokens splits text into tokens.
func (t SacreTokenizer) Tokens(text string) []string { return new(tokenSplitter).splitText(t, text) }

// tokenSplitter splits texts into tokens. It contains reusable memory for the tokens of a text and for a word before
// and after a splitting step.
type tokenSplitter struct {
	all      []string
	from, to []byte
}

// splitText splits text into tokens, which are valid until the next call.
func (c *tokenSplitter) splitText(t SacreTokenizer, text string) []string {
	c.all = c.all[:0]
	switch t {
	case T13a:
		c.splitMteval(decodeEntities(text))
	case Intl:
		c.splitInternational(text)
	case Char:
		c.addFields(strings.Join(strings.Split(text, ""), " "))
	case Zh:
		c.splitChinese(pystr.Trim(text))
	default:
		c.addFields(text)
	}
	return c.all
}

// addFields adds the fields of text that are separated by white space.
func (c *tokenSplitter) addFields(text string) {
	for word := range pystr.FieldsSeq(text) {
		c.all = append(c.all, word)
	}
}

// decodeEntities joins lines and replaces four XML entities by their characters.
func decodeEntities(text string) string {
	if !strings.ContainsAny(text, "&\n<") {
		return text
	}
	text = strings.ReplaceAll(text, "<skipped>", "")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "-\n", ""), "\n", " ")
	for _, e := range []struct{ entity, character string }{
		{"&quot;", `"`}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"},
	} {
		text = strings.ReplaceAll(text, e.entity, e.character)
	}
	return text
}

// splitMteval tokenizes by mteval-v13a's rule. It separates ASCII signs, points and commas that do not have digits on
// both sides, and dashes after digits. It handles each word on its own.
func (c *tokenSplitter) splitMteval(text string) {
	for word := range pystr.FieldsSeq(text) {
		if containsAny(word, &isSplitByte) {
			c.splitMtevalWord(word, true, true)
		} else {
			c.all = append(c.all, word)
		}
	}
}

func containsAny(word string, set *[256]bool) bool {
	for i := range len(word) {
		if set[word[i]] {
			return true
		}
	}
	return false
}

// splitMtevalWord tokenizes a word. blankBefore and blankAfter state whether it adds a blank before and after the word.
// Each step continues after the characters that it has separated.
func (c *tokenSplitter) splitMtevalWord(word string, blankBefore, blankAfter bool) {
	c.from = appendBlankIf(c.from[:0], blankBefore)
	for i := range len(word) {
		if b := word[i]; isSign[b] {
			c.from = append(c.from, ' ', b, ' ')
		} else {
			c.from = append(c.from, b)
		}
	}
	c.from = appendBlankIf(c.from, blankAfter)
	c.separateBytes(func(a, b byte) bool { return !isDigit(a) && isPoint(b) }, "", " ", " ")
	c.separateBytes(func(a, b byte) bool { return isPoint(a) && !isDigit(b) }, " ", " ", "")
	c.separateBytes(func(a, b byte) bool { return isDigit(a) && b == '-' }, "", " ", " ")
	c.addFields(string(c.from))
}

func appendBlankIf(dst []byte, condition bool) []byte {
	if condition {
		return append(dst, ' ')
	}
	return dst
}

// separateBytes inserts texts before, between and after two adjacent bytes if isSplit is true for them.
func (c *tokenSplitter) separateBytes(isSplit func(a, b byte) bool, before, between, after string) {
	c.to = c.to[:0]
	for i := 0; i < len(c.from); i++ {
		b := c.from[i]
		if i+1 == len(c.from) || !isSplit(b, c.from[i+1]) {
			c.to = append(c.to, b)
			continue
		}
		c.to = append(append(append(c.to, before...), b), between...)
		i++
		c.to = append(append(c.to, c.from[i]), after...)
	}
	c.from, c.to = c.to, c.from
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isPoint(b byte) bool { return b == '.' || b == ',' }

// isSign contains the printable ASCII characters except letters, digits, blank, point, comma, dash and apostrophe.
var isSign = byteSet(signs)

const signs = "!\"#$%&()*+/:;<=>?@[\\]^_`{|}~"

// isSplitByte contains the ASCII characters that mteval-v13a may separate or separate others from.
var isSplitByte = byteSet(signs + ".,-")

func byteSet(characters string) (set [256]bool) {
	for i := range len(characters) {
		set[characters[i]] = true
	}
	return set
}
