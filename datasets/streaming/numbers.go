package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

var errNoNumbers = errors.New("no numbers")

type numberList struct {
	values     []float64
	firstFloat int // index of the first number with a point or an exponent, which is a float in Python
}

const noFloat = math.MaxInt

// truncateTo keeps the first n numbers.
func (l *numberList) truncateTo(n int) { l.values = l.values[:min(n, len(l.values))] }

// hasFloats reports whether the list contains a float.
func (l *numberList) hasFloats() bool { return l.firstFloat < len(l.values) }

// parseJSON replaces the numbers with those of a JSON list. Brackets may be missing on both sides. Whole numbers above
// 2^53 lose digits.
func (l *numberList) parseJSON(text []byte) error {
	l.values, l.firstFloat = l.values[:0], noFloat
	text, err := withoutBrackets(text)
	if err != nil {
		return err
	}
	i := skipSpace(text, 0)
	if i == len(text) {
		return nil // an empty list
	}
	for {
		v, end, point := parseNumber(text, i)
		if end == i {
			return numberError(text, i, len(l.values))
		}
		if point && l.firstFloat == noFloat {
			l.firstFloat = len(l.values)
		}
		l.values = append(l.values, v)
		if i = end; i < len(text) && text[i] == ',' { // the usual case
			i++
		} else if i = skipSpace(text, i); i == len(text) {
			return nil
		} else if text[i] != ',' {
			return numberError(text, end, len(l.values)-1)
		} else {
			i++
		}
		if i < len(text) && text[i] <= ' ' {
			i = skipSpace(text, i)
		}
	}
}

// withoutBrackets removes the brackets around a list. A text without any brackets is returned unchanged.
func withoutBrackets(text []byte) ([]byte, error) {
	if len(text) == 0 {
		return nil, errNoNumbers
	}
	if text[0] != '[' && text[len(text)-1] != ']' {
		return text, nil
	}
	text = bytes.Trim(text, blanks)
	if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
		return nil, fmt.Errorf("it begins or ends with a bracket, and is no list: %.40q", text)
	}
	return text[1 : len(text)-1], nil
}

const blanks = " \t\r\n"

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}

func numberError(text []byte, i, index int) error {
	return fmt.Errorf("number %d is %.40q, want a number, and commas between numbers", index+1, text[i:])
}

// powersOfTen contains the powers of ten by which a whole number up to 2^53 can be divided with a single rounding.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseNumber parses a JSON number that begins at start. end is start if there is none. fraction reports whether it is
// a float in Python.
func parseNumber(text []byte, start int) (v float64, end int, fraction bool) {
	i := start
	if i < len(text) && text[i] == '-' {
		i++
	}
	first := i
	digits, i := appendDigits(text, i, 0)
	whole := i - first
	if whole == 0 || whole > 1 && text[first] == '0' {
		return 0, start, false
	}
	places := 0
	if i < len(text) && text[i] == '.' {
		point := i
		digits, i = appendDigits(text, i+1, digits)
		if places = i - point - 1; places == 0 {
			return 0, start, false
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' || whole+places > len(powersOfTen)-1 {
		return parseLongNumber(text, start, i)
	}
	v = float64(digits) / powersOfTen[places]
	if first > start {
		v = -v
	}
	return v, i, places > 0
}

// appendDigits appends the decimal digits from index i on to number and returns the index after them. The result
// overflows if there are too many digits.
func appendDigits(text []byte, i int, number uint64) (n uint64, end int) {
	for ; i < len(text) && text[i]-'0' < 10; i++ {
		number = number*10 + uint64(text[i]-'0')
	}
	return number, i
}

// parseLongNumber is the slow path of parseNumber for numbers with an exponent or many digits. i is the index after the
// first digits.
func parseLongNumber(text []byte, start, i int) (v float64, end int, fraction bool) {
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		digits := i
		for i < len(text) && text[i]-'0' < 10 {
			i++
		}
		if i == digits {
			return 0, start, false
		}
	}
	v, err := strconv.ParseFloat(string(text[start:i]), 64)
	if err != nil { // out of range of float64
		return 0, start, false
	}
	return v, i, bytes.ContainsAny(text[start:i], ".eE")
}
