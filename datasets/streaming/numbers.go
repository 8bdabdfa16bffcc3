package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

var errNoNumbers = errors.New("no numbers")

// numberList is a list of numbers.
type numberList struct {
	values []float64
	float  int // the first that is written with a point or an exponent, which makes it a float in Python
}

const noFloat = math.MaxInt

// truncateTo leaves the first n.
func (l *numberList) truncateTo(n int) { l.values = l.values[:min(n, len(l.values))] }

// hasFloats says whether there is a float.
func (l *numberList) hasFloats() bool { return l.float < len(l.values) }

// parseJSON reads a list in JSON, in place of what there was. Brackets are put around a text that neither begins nor
// ends with one. Whole numbers of more than 2^53 lose digits.
func (l *numberList) parseJSON(text []byte) error {
	l.values, l.float = l.values[:0], noFloat
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
			return notNumber(text, i, len(l.values))
		}
		if point && l.float == noFloat {
			l.float = len(l.values)
		}
		l.values = append(l.values, v)
		if i = end; i < len(text) && text[i] == ',' { // the usual case
			i++
		} else if i = skipSpace(text, i); i == len(text) {
			return nil
		} else if text[i] != ',' {
			return notNumber(text, end, len(l.values)-1)
		} else {
			i++
		}
		if i < len(text) && text[i] <= ' ' {
			i = skipSpace(text, i)
		}
	}
}

// withoutBrackets takes the brackets of a list away; a text may have none.
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

func notNumber(text []byte, i, index int) error {
	return fmt.Errorf("number %d is %.40q, want a number, and commas between numbers", index+1, text[i:])
}

// powers are those of ten that divide whole numbers up to 2^53 with one rounding.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseNumber reads a number of JSON at i, and where it ends: at i if there is none.
func parseNumber(text []byte, start int) (v float64, end int, fraction bool) {
	i := start
	if i < len(text) && text[i] == '-' {
		i++
	}
	first := i
	digits, i := readDigits(text, i, 0)
	whole := i - first
	if whole == 0 || whole > 1 && text[first] == '0' {
		return 0, start, false
	}
	places := 0
	if i < len(text) && text[i] == '.' {
		point := i
		digits, i = readDigits(text, i+1, digits)
		if places = i - point - 1; places == 0 {
			return 0, start, false
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' || whole+places > len(powers)-1 {
		return parseGeneral(text, start, i)
	}
	v = float64(digits) / powers[places]
	if first > start {
		v = -v
	}
	return v, i, places > 0
}

// readDigits appends the digits at i to a number, and returns where they end. Many of them overflow.
func readDigits(text []byte, i int, number uint64) (n uint64, end int) {
	for ; i < len(text) && text[i]-'0' < 10; i++ {
		number = number*10 + uint64(text[i]-'0')
	}
	return number, i
}

// parseGeneral is parseNumber for those with an exponent, or of many digits: i is behind the digits.
func parseGeneral(text []byte, start, i int) (v float64, end int, fraction bool) {
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
	if err != nil { // beyond float64
		return 0, start, false
	}
	return v, i, bytes.ContainsAny(text[start:i], ".eE")
}
