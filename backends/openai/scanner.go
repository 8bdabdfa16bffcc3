package openai

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonScanner reads a JSON text without building a data structure. After a fault, bad is set and all methods do
// nothing.
type jsonScanner struct {
	data    []byte
	at      int
	depth   int
	bad     bool
	scratch []byte // an unescaped string, valid until the next one
}

// maxDepth is the maximum nesting of a text.
const maxDepth = 100

func (s *jsonScanner) reset(data []byte) { s.data, s.at, s.depth, s.bad = data, 0, 0, false }

// requireEnd checks that only white space follows.
func (s *jsonScanner) requireEnd() {
	if s.peekByte() != 0 || s.at != len(s.data) {
		s.bad = true
	}
}

// peekByte skips white space and returns the next byte, or 0 at the end and after a fault.
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

// expectByte skips white space and c. If c does not follow, it sets a fault.
func (s *jsonScanner) expectByte(c byte) {
	if s.peekByte() != c {
		s.bad = true
		return
	}
	s.at++
}

// skipIf skips c if it is the next byte, and reports whether it was.
func (s *jsonScanner) skipIf(c byte) bool {
	if s.peekByte() != c {
		return false
	}
	s.at++
	return true
}

// eachField calls field for each key of an object. field must read or skip the value. It skips other values, including
// null.
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

// eachElement calls element for each element of an array. element must read or skip it. It skips other values.
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
	if s.depth++; s.depth > maxDepth {
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

// readString reads a string. The result is a part of data or valid until the next string is read.
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

// plainLength returns the number of bytes at the beginning of a string that need no unescaping.
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

// appendEscape appends the character of an escape sequence after its backslash.
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

// escapedRune reads the digits of one escape or, for a surrogate pair, of two. A lone surrogate becomes U+FFFD.
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

// readInteger reads an integer. For other values, it skips them and returns ok false.
func (s *jsonScanner) readInteger() (v int64, ok bool) {
	c := s.peekByte()
	if c != '-' && (c < '0' || c > '9') {
		s.skipValue()
		return 0, false
	}
	v, err := strconv.ParseInt(string(s.readNumber()), 10, 64)
	return v, err == nil
}

// readTokenID reads a token id. Other values are a fault.
func (s *jsonScanner) readTokenID() int32 {
	v, ok := s.readInteger()
	if !ok || v < 0 || v > math.MaxInt32 {
		s.bad = true
		return 0
	}
	return int32(v)
}

// readNumber reads a JSON number.
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

// skipByte skips c if it is the next byte, without skipping white space, and reports whether it was.
func (s *jsonScanner) skipByte(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// skipDigits skips one or more digits.
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

// skipNull skips null and reports whether it was there.
func (s *jsonScanner) skipNull() bool {
	if s.peekByte() != 'n' {
		return false
	}
	s.skipLiteral()
	return true
}
