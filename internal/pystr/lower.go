package pystr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	dottedI    = 'İ'
	sigma      = 'Σ'
	smallSigma = 'σ'
	finalSigma = 'ς'
)

// Lower implements str.lower. It differs from strings.ToLower for two letters: "İ" becomes an "i" and a combining dot,
// and "Σ" at the end of a word becomes "ς".
func Lower(s string) string {
	if !strings.ContainsRune(s, dottedI) && !strings.ContainsRune(s, sigma) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == sigma && endsWord(s[:i], s[i+utf8.RuneLen(sigma):]):
			b.WriteRune(finalSigma)
		default:
			b.WriteString(LowerRune(r))
		}
	}
	return b.String()
}

// LowerRune implements str.lower for a string of one character: "Σ" becomes "σ".
func LowerRune(r rune) string {
	switch r {
	case dottedI:
		return "i\u0307"
	case sigma:
		return string(smallSigma)
	}
	return string(unicode.ToLower(r))
}

// endsWord reports whether the condition Final_Sigma of The Unicode Standard, table 3-17, holds between the two texts:
// a cased letter precedes and no cased letter follows, without counting characters that case ignores.
func endsWord(before, after string) bool {
	before = strings.TrimRightFunc(before, ignoredByCase)
	after = strings.TrimLeftFunc(after, ignoredByCase)
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return isCased(last) && !isCased(first)
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// ignoredByCase reports whether a character has the property Case_Ignorable: marks, formats, modifiers, and characters
// that may be within a word.
func ignoredByCase(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune(withinWords, r)
}

// withinWords contains the characters with the property Word_Break MidLetter, MidNumLet or Single_Quote.
const withinWords = "'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a"
