package pyvalue

import (
	"strings"
	"unicode"
)

// Lower is str.lower() of a text: letter by letter but for a dotted I, which becomes two, and a sigma at a word's end.
func Lower(text string) string {
	var out strings.Builder
	letters := []rune(text)
	for i, r := range letters {
		switch {
		case r == 'İ':
			out.WriteString("i\u0307")
		case r == 'Σ' && endsWord(letters, i):
			out.WriteRune('ς')
		default:
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return out.String()
}

// endsWord says whether a letter stands behind one and before none, whatever marks lie between.
func endsWord(letters []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && isMark(letters[before]) {
		before--
	}
	for after < len(letters) && isMark(letters[after]) {
		after++
	}
	return before >= 0 && isCased(letters[before]) && (after == len(letters) || !isCased(letters[after]))
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// isMark says whether a character does not count for where words end.
func isMark(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’‘․…", r)
}
