package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// cutPiece returns the first piece of cleaned text and the remaining text. A piece is a special token, an English
// ending ("'s"), a run of letters, a number, or a run of other characters without white space. ok is false if there is
// no piece.
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

// pieceLength returns the length of the piece at the start of text or, if skip is set, of the character to skip.
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
	switch k := runeKindOf(r); k {
	case whiteSpaceKind:
		return size, true
	case numberKind:
		return size, false
	default:
		return size + runLength(text[size:], k), false
	}
}

// runLength returns the length of the characters of kind k at the start of text.
func runLength(text string, k runeKind) int {
	for i, r := range text {
		if runeKindOf(r) != k {
			return i
		}
	}
	return len(text)
}

// endingLength returns the length of an English ending with its apostrophe, or 0 if there is none. The long s counts as
// an s.
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

// runeKind is the kind of a character.
type runeKind uint8

const (
	whiteSpaceKind runeKind = iota // white space, which separates pieces
	letterKind
	numberKind
	otherKind
)

// iotaBelow is a mark whose capital is a letter. If case is ignored, it is neither a letter nor another character.
const iotaBelow = '\u0345'

func runeKindOf(r rune) runeKind {
	switch {
	case 'a' <= r && r <= 'z':
		return letterKind
	case r == ' ' || r == iotaBelow || pystr.IsSpace(r):
		return whiteSpaceKind
	case unicode.IsLetter(r):
		return letterKind
	case unicode.IsNumber(r):
		return numberKind
	}
	return otherKind
}
