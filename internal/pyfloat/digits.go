package pyfloat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mathZero begins the five sets of mathematical digits, which stand side by side.
const mathZero = '\U0001d7ce'

// younger are the scripts that Unicode has since version 15: Python 3.11, with which the official tools were compared,
// knows 14.
var younger = []*unicode.RangeTable{unicode.Kawi, unicode.Nag_Mundari}

// IsDigit says whether a character is a decimal digit for Python's regular expressions and numbers.
func IsDigit(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9'
	}
	return unicode.Is(unicode.Nd, r) && !unicode.In(r, younger...)
}

// Digits writes a number's digits of other scripts in ASCII, as which Python takes them.
func Digits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII || !IsDigit(r) {
			return r
		}
		if mathZero <= r && r < mathZero+50 {
			return '0' + (r-mathZero)%10
		}
		zero := r // digits stand in tens, from zero up
		for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 {
			zero--
		}
		return '0' + r - zero
	}, number)
}
