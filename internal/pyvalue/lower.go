package pyvalue

import (
	"strings"
	"unicode"
)

// Lower implements str.lower(): it lowers each letter, except that a dotted I becomes two characters, and a sigma at
// the end of a word becomes a final sigma.
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

// endsWord reports whether a letter precedes position i and no letter follows it, ignoring marks in between.
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

// isMark reports whether a character is ignored when the end of a word is determined.
func isMark(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’‘․…", r)
}
