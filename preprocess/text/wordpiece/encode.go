package wordpiece

import (
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// maxWordLength is the maximum number of characters of a word. Longer words become one unknown token.
const maxWordLength = 100

// Encode appends the IDs of text to dst. A special token in the text, such as "[SEP]", becomes its own ID.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	for text != "" {
		at, special := t.findSpecial(text)
		dst = t.encodePlain(dst, text[:at])
		if special != "" {
			dst = append(dst, t.ids[special])
		}
		text = text[at+len(special):]
	}
	return dst
}

// findSpecial returns the position of the first special token in text, or the text's length and "".
func (t *Tokenizer) findSpecial(text string) (at int, special string) {
	for at = 0; ; at++ {
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return len(text), ""
		}
		at += next
		for _, special := range t.specials {
			if strings.HasPrefix(text[at:], special) {
				return at, special
			}
		}
	}
}

// encodePlain appends the IDs of a text without special tokens. It lowers letters one by one before splitting. Unlike
// in Words, a "Σ" therefore never becomes a final sigma.
func (t *Tokenizer) encodePlain(dst []int32, text string) []int32 {
	if !isASCII(text) {
		text = lowerEach(text)
	}
	eachWord(text, func(word []byte) { dst = t.appendPieces(dst, word) })
	return dst
}

func lowerEach(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		b.WriteString(pystr.LowerRune(r))
	}
	return b.String()
}

// appendPieces appends the IDs of a word's pieces. At each position it takes the longest piece in the vocabulary.
func (t *Tokenizer) appendPieces(dst []int32, word []byte) []int32 {
	if len(word) > maxWordLength && utf8.RuneCount(word) > maxWordLength {
		return append(dst, t.unknown)
	}
	whole := len(dst)
	pieces := t.ids
	for len(word) > 0 {
		id, size := t.longestPiece(pieces, word)
		if size == 0 {
			return append(dst[:whole], t.unknown)
		}
		dst = append(dst, id)
		word = word[size:]
		pieces = t.insideIDs
	}
	return dst
}

// longestPiece returns the ID of the longest piece at the start of word and its length in bytes, or 0.
func (t *Tokenizer) longestPiece(pieces map[string]int32, word []byte) (id int32, size int) {
	for size = min(len(word), t.maxTokenBytes); size > 0; size-- {
		if size < len(word) && !utf8.RuneStart(word[size]) {
			continue
		}
		if id, ok := pieces[string(word[:size])]; ok {
			return id, size
		}
	}
	return 0, 0
}
