package openai

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScanner walks through one JSON text without building it. After a fault bad is set, and every method does nothing.
type jsonScanner struct {
	data    []byte
	at      int
	depth   int
	bad     bool
	scratch []byte // a string with escapes, until the next one
}

// deepest bounds the nesting of a text.
const deepest = 100

func (s *jsonScanner) reset(data []byte) { s.data, s.at, s.depth, s.bad = data, 0, 0, false }

// requireEnd checks that nothing but white space follows.
func (s *jsonScanner) requireEnd() {
	if s.peekByte() != 0 || s.at != len(s.data) {
		s.bad = true
	}
}

// peekByte skips white space and returns the next byte, 0 at the end and after a fault.
func (s *jsonScanner) peekByte() byte {
	for !s.bad && s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// expectByte skips white space and c; without c it is a fault.
func (s *jsonScanner) expectByte(c byte) {
	if s.peekByte() != c {
		s.bad = true
		return
	}
	s.at++
}

// skipIf skips c if it is next.
func (s *jsonScanner) skipIf(c byte) bool {
	if s.peekByte() != c {
		return false
	}
	s.at++
	return true
}

// eachField calls field for each key; field must read or skip the value. Anything but an object, null
// among them, is skipped.
func (s *jsonScanner) eachField(field func(key []byte)) {
	if s.peekByte() != '{' {
		s.skipValue()
		return
	}
	s.eachItem('{', '}', func() {
		key := s.readString()
		s.expectByte(':')
		if !s.bad {
			field(key)
		}
	})
}

// eachElement calls element for each element, which must read or skip it. Anything but an array is skipped.
func (s *jsonScanner) eachElement(element func()) {
	if s.peekByte() != '[' {
		s.skipValue()
		return
	}
	s.eachItem('[', ']', element)
}

// eachItem calls item for each part between commas.
func (s *jsonScanner) eachItem(open, end byte, item func()) {
	s.expectByte(open)
	if s.depth++; s.depth > deepest {
		s.bad = true
	}
	if !s.skipIf(end) {
		for !s.bad {
			item()
			if !s.skipIf(',') {
				s.expectByte(end)
				break
			}
		}
	}
	s.depth--
}

// readString reads a string. It is part of the data, or valid until the next one is read.
func (s *jsonScanner) readString() []byte {
	s.expectByte('"')
	if s.bad {
		return nil
	}
	rest := s.data[s.at:]
	n := plainLength(rest)
	if n < len(rest) && rest[n] == '"' {
		s.at += n + 1
		return rest[:n]
	}
	return s.unescape()
}

// plainLength is how many bytes stand for themselves in a string.
func plainLength(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(text)
}

func (s *jsonScanner) unescape() []byte {
	out := s.scratch[:0]
	for !s.bad {
		n := plainLength(s.data[s.at:])
		out = append(out, s.data[s.at:s.at+n]...)
		s.at += n
		if s.skipByte('"') {
			break
		}
		if !s.skipByte('\\') || s.at == len(s.data) {
			s.bad = true
			break
		}
		out = s.appendEscape(out)
	}
	s.scratch = out
	return out
}

// appendEscape appends what follows a backslash.
func (s *jsonScanner) appendEscape(out []byte) []byte {
	c := s.data[s.at]
	s.at++
	if c == 'u' {
		return utf8.AppendRune(out, s.escapedRune())
	}
	at := bytes.IndexByte([]byte(`"\/bfnrt`), c)
	if at < 0 {
		s.bad = true
		return out
	}
	return append(out, "\"\\/\b\f\n\r\t"[at])
}

// escapedRune reads the digits of one or, for a surrogate pair, two escapes. Half a pair becomes U+FFFD.
func (s *jsonScanner) escapedRune() rune {
	r := s.readHex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if at := s.at; bytes.HasPrefix(s.data[at:], []byte(`\u`)) {
		s.at += 2
		if pair := utf16.DecodeRune(r, s.readHex()); pair != utf8.RuneError {
			return pair
		}
		s.at = at
	}
	return utf8.RuneError
}

func (s *jsonScanner) readHex() rune {
	if s.at+4 > len(s.data) {
		s.bad = true
		return 0
	}
	v, err := strconv.ParseUint(string(s.data[s.at:s.at+4]), 16, 16)
	if err != nil || s.data[s.at] == '+' {
		s.bad = true
		return 0
	}
	s.at += 4
	return rune(v)
}

// readInteger reads a whole number; anything else that is no number is skipped, with ok false.
func (s *jsonScanner) readInteger() (v int64, ok bool) {
	c := s.peekByte()
	if c != '-' && (c < '0' || c > '9') {
		s.skipValue()
		return 0, false
	}
	v, err := strconv.ParseInt(string(s.readNumber()), 10, 64)
	return v, err == nil
}

// readTokenID reads a token id; anything else is a fault.
func (s *jsonScanner) readTokenID() int32 {
	v, ok := s.readInteger()
	if !ok || v < 0 || v > math.MaxInt32 {
		s.bad = true
		return 0
	}
	return int32(v)
}

// readNumber reads a number as JSON writes them.
func (s *jsonScanner) readNumber() []byte {
	start := s.at
	s.skipByte('-')
	if !s.skipByte('0') {
		s.skipDigits()
	}
	if s.skipByte('.') {
		s.skipDigits()
	}
	if s.skipByte('e') || s.skipByte('E') {
		if !s.skipByte('+') {
			s.skipByte('-')
		}
		s.skipDigits()
	}
	return s.data[start:s.at]
}

// skipByte skips c if it is the very next byte.
func (s *jsonScanner) skipByte(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// skipDigits skips one digit or more.
func (s *jsonScanner) skipDigits() {
	start := s.at
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		s.at++
	}
	if s.at == start {
		s.bad = true
	}
}

// skipValue skips any value.
func (s *jsonScanner) skipValue() {
	switch c := s.peekByte(); {
	case c == '"':
		s.readString()
	case c == '{':
		s.eachField(func([]byte) { s.skipValue() })
	case c == '[':
		s.eachElement(s.skipValue)
	case c == '-' || '0' <= c && c <= '9':
		s.readNumber()
	default:
		s.skipLiteral()
	}
}

func (s *jsonScanner) skipLiteral() {
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(s.data[s.at:], []byte(word)) {
			s.at += len(word)
			return
		}
	}
	s.bad = true
}

// skipNull skips null, and tells whether it was there.
func (s *jsonScanner) skipNull() bool {
	if s.peekByte() != 'n' {
		return false
	}
	s.skipLiteral()
	return true
}
