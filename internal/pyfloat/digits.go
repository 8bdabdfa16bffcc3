package pyfloat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// firstMathDigit is the first of the five consecutive sets of mathematical digits.
const firstMathDigit = '\U0001d7ce'

// newerScripts are scripts that Unicode added in version 15. Python 3.11, with which the official tools were compared,
// uses version 14.
var newerScripts = []*unicode.RangeTable{unicode.Kawi, unicode.Nag_Mundari}

// IsDigit reports whether a character is a decimal digit in Python's regular expressions and numbers.
func IsDigit(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9'
	}
	return unicode.Is(unicode.Nd, r) && !unicode.In(r, newerScripts...)
}

// ToASCIIDigits replaces digits of other scripts by ASCII digits, as Python does when it reads a number.
func ToASCIIDigits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII || !IsDigit(r) {
			return r
		}
		if firstMathDigit <= r && r < firstMathDigit+50 {
			return '0' + (r-firstMathDigit)%10
		}
		zero := r // the digits of a script are ten consecutive characters
		for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 {
			zero--
		}
		return '0' + r - zero
	}, number)
}
