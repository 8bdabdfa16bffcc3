package products

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The limits of the official scorer's JSON reader.
const (
	maxDepth  = 200  // nesting of non-empty lists and objects
	maxDigits = 4300 // digits of an integer
)

// jsonValue is a JSON value: its kind and, for short values, its text.
type jsonValue struct {
	kind byte // the first character; for -Infinity the sign
	raw  string
}

func (v jsonValue) String() string {
	switch v.kind {
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return fmt.Sprintf("%.40s", v.raw)
}

// jsonScanner checks one JSON value as strictly as the standard, except that it accepts NaN and Infinity. It does not
// store the value.
type jsonScanner struct {
	text string
	i    int
	err  error // the first fault
}

// readDocument reads the whole text. It calls member for each member of the outermost object.
func (s *jsonScanner) readDocument(member func(key string, v jsonValue)) jsonValue {
	v := s.readValue(1, member)
	if s.skipBlanks(); s.err == nil && s.i < len(s.text) {
		s.failWant("the end")
	}
	return v
}

func (s *jsonScanner) failWant(want string) {
	if s.err != nil {
		return
	}
	found := "the end"
	if s.i < len(s.text) {
		found = fmt.Sprintf("%.12q", s.text[s.i:])
	}
	s.err = fmt.Errorf("no JSON: %s at byte %d, want %s", found, s.i, want)
}

func (s *jsonScanner) skipBlanks() {
	for s.i < len(s.text) && strings.IndexByte(" \t\n\r", s.text[s.i]) >= 0 {
		s.i++
	}
}

// peekByte skips blanks and returns the next character, or 0 at the end.
func (s *jsonScanner) peekByte() byte {
	if s.skipBlanks(); s.i < len(s.text) {
		return s.text[s.i]
	}
	return 0
}

// expectText reads the text want, and reports whether it was there.
func (s *jsonScanner) expectText(want string) bool {
	if s.err != nil || !strings.HasPrefix(s.text[s.i:], want) {
		s.failWant(strconv.Quote(want))
		return false
	}
	s.i += len(want)
	return true
}

// readValue reads a value at the given nesting depth.
func (s *jsonScanner) readValue(depth int, member func(string, jsonValue)) jsonValue {
	c := s.peekByte()
	start := s.i
	v := jsonValue{kind: c}
	switch {
	case c == '{':
		s.readObject(depth, member)
		return v
	case c == '[':
		s.readList(depth)
		return v
	case c == '"':
		s.readString()
	case c == 't':
		s.expectText("true")
	case c == 'f':
		s.expectText("false")
	case c == 'n':
		s.expectText("null")
	case c == 'N':
		s.expectText("NaN")
	case c == 'I':
		s.expectText("Infinity")
	case c == '-' && strings.HasPrefix(s.text[s.i:], "-I"):
		s.expectText("-Infinity")
	default: // the first digit or sign of a number
		s.readNumber()
	}
	v.raw = s.text[start:s.i]
	return v
}

// checkDepth reports whether the nesting depth is allowed. If it is not, it sets the error.
func (s *jsonScanner) checkDepth(depth int) bool {
	if depth > maxDepth && s.err == nil {
		s.err = fmt.Errorf("no JSON: more than %d lists and objects in one another", maxDepth)
	}
	return s.err == nil
}

func (s *jsonScanner) readObject(depth int, member func(string, jsonValue)) {
	s.i++
	if s.peekByte() == '}' {
		s.i++
		return
	}
	for s.checkDepth(depth) {
		s.skipBlanks()
		start := s.i
		s.readString()
		key := s.text[start:s.i]
		s.skipBlanks()
		if !s.expectText(":") {
			return
		}
		v := s.readValue(depth+1, nil)
		if s.err != nil {
			return
		}
		if member != nil {
			member(unquoteString(key), v)
		}
		if !s.readComma('}') {
			return
		}
	}
}

func (s *jsonScanner) readList(depth int) {
	s.i++
	if s.peekByte() == ']' {
		s.i++
		return
	}
	for s.checkDepth(depth) {
		if s.readValue(depth+1, nil); !s.readComma(']') {
			return
		}
	}
}

// readComma reads the comma before another item, or the closing character end.
func (s *jsonScanner) readComma(end byte) bool {
	switch {
	case s.err != nil:
		return false
	case s.peekByte() == ',':
		s.i++
		return true
	case s.peekByte() != end:
		s.failWant("\",\" or \"" + string(end) + "\"")
		return false
	}
	s.i++
	return false
}

// readString reads a text.
func (s *jsonScanner) readString() {
	if !s.expectText(`"`) {
		return
	}
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == '"':
			s.i++
			return
		case c == '\\':
			if !s.readEscape() {
				return
			}
		case c < ' ':
			s.failWant("no control character")
			return
		case c < utf8.RuneSelf:
			s.i++
		default:
			r, n := utf8.DecodeRuneInString(s.text[s.i:])
			if r == utf8.RuneError && n == 1 {
				s.failWant("UTF-8")
				return
			}
			s.i += n
		}
	}
	s.failWant(`"`)
}

// readEscape reads an escape sequence. A lone surrogate is a fault.
func (s *jsonScanner) readEscape() bool {
	rest := s.text[s.i+1:]
	if rest != "" && strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0 {
		s.i += 2
		return true
	}
	r, ok := readUnit(rest)
	if ok && 0xd800 <= r && r < 0xe000 {
		low, paired := uint64(0), false
		if r < 0xdc00 && strings.HasPrefix(rest[5:], `\`) {
			low, paired = readUnit(rest[6:])
		}
		if ok = paired && 0xdc00 <= low && low < 0xe000; ok {
			s.i += 6
		}
	}
	if !ok {
		s.failWant("an escape of a character")
		return false
	}
	s.i += 6
	return true
}

// readUnit returns the 16-bit value of uXXXX.
func readUnit(text string) (v uint64, ok bool) {
	if len(text) < 5 || text[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(text[1:5], 16, 16) // rejects signs and, because a base is given, underscores
	return v, err == nil
}

// readNumber reads a number.
func (s *jsonScanner) readNumber() {
	if s.i < len(s.text) && s.text[s.i] == '-' {
		s.i++
	}
	first := s.i
	n := s.readDigits()
	if n > 1 && s.text[first] == '0' {
		s.i = first
		s.failWant("a number without a leading zero")
		return
	}
	whole := true
	if s.i < len(s.text) && s.text[s.i] == '.' {
		s.i++
		s.readDigits()
		whole = false
	}
	if s.i < len(s.text) && s.text[s.i]|0x20 == 'e' {
		if s.i++; s.i < len(s.text) && (s.text[s.i] == '+' || s.text[s.i] == '-') {
			s.i++
		}
		s.readDigits()
		whole = false
	}
	if whole && n > maxDigits && s.err == nil {
		s.err = fmt.Errorf("no JSON: a number of %d digits, want at most %d", n, maxDigits)
	}
}

// readDigits reads digits and returns their number. It requires at least one.
func (s *jsonScanner) readDigits() (n int) {
	for s.i < len(s.text) && '0' <= s.text[s.i] && s.text[s.i] <= '9' {
		s.i++
		n++
	}
	if n == 0 {
		s.failWant("a value")
	}
	return n
}
