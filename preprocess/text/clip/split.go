package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// cutPiece cuts the first piece off cleaned text: one of the specials, an English ending ("'s"), a run of letters, one
// number, or a run of what is none of these and no white space. ok is false where none is left.
func cutPiece(text string, specials [2]string) (piece, rest string, ok bool) {
	for text != "" {
		n, skip := pieceLength(text, specials)
		if !skip {
			return text[:n], text[n:], true
		}
		text = text[n:]
	}
	return "", "", false
}

// pieceLength returns the length of the piece that begins a text, or of the character to pass over.
func pieceLength(text string, specials [2]string) (n int, skip bool) {
	for _, s := range specials {
		if strings.HasPrefix(text, s) {
			return len(s), false
		}
	}
	if n := endingLength(text); n > 0 {
		return n, false
	}
	r, size := utf8.DecodeRuneInString(text)
	switch k := kindOf(r); k {
	case none:
		return size, true
	case number:
		return size, false
	default:
		return size + runLength(text[size:], k), false
	}
}

// runLength returns the length of the characters of a kind that begin a text.
func runLength(text string, k runeKind) int {
	for i, r := range text {
		if kindOf(r) != k {
			return i
		}
	}
	return len(text)
}

// endingLength returns the length of an English ending with its apostrophe; 0: none. The long s counts as an s.
func endingLength(text string) int {
	if text[0] != '\'' {
		return 0
	}
	for _, e := range [...]string{"'s", "'ſ", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(text, e) {
			return len(e)
		}
	}
	return 0
}

// runeKind is what a character is to the tokenizer.
type runeKind uint8

const (
	none runeKind = iota // white space, which parts pieces
	letter
	number
	other
)

// iotaBelow is a mark whose capital is a letter: where case does not count it is neither a letter nor anything else.
const iotaBelow = '\u0345'

func kindOf(r rune) runeKind {
	switch {
	case 'a' <= r && r <= 'z':
		return letter
	case r == ' ' || r == iotaBelow || pystr.IsSpace(r):
		return none
	case unicode.IsLetter(r):
		return letter
	case unicode.IsNumber(r):
		return number
	}
	return other
}
