package openai

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner walks through one JSON text without building it. After a fault bad is set, and every method does nothing.
type scanner struct {
	data    []byte
	at      int
	depth   int
	bad     bool
	scratch []byte // a string with escapes, until the next one
}

// deepest bounds the nesting of a text.
const deepest = 100

func (s *scanner) reset(data []byte) { s.data, s.at, s.depth, s.bad = data, 0, 0, false }

// end checks that nothing but white space follows.
func (s *scanner) end() {
	if s.peek() != 0 || s.at != len(s.data) {
		s.bad = true
	}
}

// peek skips white space and returns the next byte, 0 at the end and after a fault.
func (s *scanner) peek() byte {
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

// take skips white space and c; without c it is a fault.
func (s *scanner) take(c byte) {
	if s.peek() != c {
		s.bad = true
		return
	}
	s.at++
}

// skipIf skips c if it is next.
func (s *scanner) skipIf(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// object calls field for each key; field must read or skip the value. Anything but an object, null
// among them, is skipped.
func (s *scanner) object(field func(key []byte)) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	s.within('{', '}', func() {
		key := s.text()
		s.take(':')
		if !s.bad {
			field(key)
		}
	})
}

// array calls element for each element, which must read or skip it. Anything but an array is skipped.
func (s *scanner) array(element func()) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	s.within('[', ']', element)
}

// within calls item for each part between commas.
func (s *scanner) within(open, end byte, item func()) {
	s.take(open)
	if s.depth++; s.depth > deepest {
		s.bad = true
	}
	if !s.skipIf(end) {
		for !s.bad {
			item()
			if !s.skipIf(',') {
				s.take(end)
				break
			}
		}
	}
	s.depth--
}

// text reads a string. It is part of the data, or valid until the next one is read.
func (s *scanner) text() []byte {
	s.take('"')
	if s.bad {
		return nil
	}
	rest := s.data[s.at:]
	n := plain(rest)
	if n < len(rest) && rest[n] == '"' {
		s.at += n + 1
		return rest[:n]
	}
	return s.unescape()
}

// plain is how many bytes stand for themselves in a string.
func plain(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(text)
}

func (s *scanner) unescape() []byte {
	out := s.scratch[:0]
	for !s.bad {
		n := plain(s.data[s.at:])
		out = append(out, s.data[s.at:s.at+n]...)
		s.at += n
		if s.skipByte('"') {
			break
		}
		if !s.skipByte('\\') || s.at == len(s.data) {
			s.bad = true
			break
		}
		out = s.escape(out)
	}
	s.scratch = out
	return out
}

// escape appends what follows a backslash.
func (s *scanner) escape(out []byte) []byte {
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
func (s *scanner) escapedRune() rune {
	r := s.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if at := s.at; bytes.HasPrefix(s.data[at:], []byte(`\u`)) {
		s.at += 2
		if pair := utf16.DecodeRune(r, s.hex()); pair != utf8.RuneError {
			return pair
		}
		s.at = at
	}
	return utf8.RuneError
}

func (s *scanner) hex() rune {
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

// integer reads a whole number; anything else that is no number is skipped, with ok false.
func (s *scanner) integer() (v int64, ok bool) {
	c := s.peek()
	if c != '-' && (c < '0' || c > '9') {
		s.skip()
		return 0, false
	}
	v, err := strconv.ParseInt(string(s.number()), 10, 64)
	return v, err == nil
}

// id reads a token id; anything else is a fault.
func (s *scanner) id() int32 {
	v, ok := s.integer()
	if !ok || v < 0 || v > math.MaxInt32 {
		s.bad = true
		return 0
	}
	return int32(v)
}

// number reads a number as JSON writes them.
func (s *scanner) number() []byte {
	start := s.at
	s.skipByte('-')
	if !s.skipByte('0') {
		s.digits()
	}
	if s.skipByte('.') {
		s.digits()
	}
	if s.skipByte('e') || s.skipByte('E') {
		if !s.skipByte('+') {
			s.skipByte('-')
		}
		s.digits()
	}
	return s.data[start:s.at]
}

// skipByte skips c if it is the very next byte.
func (s *scanner) skipByte(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// digits skips one digit or more.
func (s *scanner) digits() {
	start := s.at
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
		s.at++
	}
	if s.at == start {
		s.bad = true
	}
}

// skip skips any value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case c == '"':
		s.text()
	case c == '{':
		s.object(func([]byte) { s.skip() })
	case c == '[':
		s.array(s.skip)
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	default:
		s.literal()
	}
}

func (s *scanner) literal() {
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(s.data[s.at:], []byte(word)) {
			s.at += len(word)
			return
		}
	}
	s.bad = true
}

// null skips null, and tells whether it was there.
func (s *scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.literal()
	return true
}
