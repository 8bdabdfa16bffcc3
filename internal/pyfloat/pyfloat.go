// Package pyfloat reads and writes numbers like Python and sums them in NumPy's order, so a mean equals a reference
// script's bit for bit.
//
// In scope: float(), repr() and round() of a float; sums and means of slices. Out of scope: the meaning of the numbers,
// and sums along an axis of an array (NumPy may add these in another order).
package pyfloat

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Repr returns v as Python prints it: the shortest decimal that reads back as v, with an exponent below 1e-4 and from
// 1e16.
func Repr(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	}
	text := strconv.FormatFloat(v, 'e', -1, 64)
	_, exponent, _ := strings.Cut(text, "e")
	if e, _ := strconv.Atoi(exponent); v != 0 && (e < -4 || e >= 16) {
		return text
	}
	text = strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// Round returns Python's round(v, digits) of a float: the decimal number with this many digits that is nearest to v, or
// the even one of two at the same distance.
func Round(v float64, digits int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	if err != nil { // v exceeds the range in which floats have fractions
		return v
	}
	return rounded
}

var (
	number = regexp.MustCompile(`^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)([eE][+-]?\d+(_\d+)*)?$`)
	word   = regexp.MustCompile(`^(?i)[+-]?(nan|inf|infinity)$`)
)

// IsSpace reports whether a character is white space for Python's str.strip and float().
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Parse reads text like Python's float(). It returns false for ok if the text is not a number.
func Parse(text string) (v float64, ok bool) {
	text = ToASCIIDigits(strings.TrimFunc(text, IsSpace))
	switch {
	case word.MatchString(text) && strings.HasSuffix(strings.ToLower(text), "nan"):
		return math.NaN(), true
	case word.MatchString(text):
		v, err := strconv.ParseFloat(text, 64)
		return v, err == nil
	case number.MatchString(text):
		v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		return v, err == nil || math.IsInf(v, 0) // numbers beyond the range are infinite
	}
	return 0, false
}
