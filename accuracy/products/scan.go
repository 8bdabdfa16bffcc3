package products

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What the reader of the official scorer takes at most.
const (
	mostDepth  = 200  // of lists and objects that hold something
	mostDigits = 4300 // of a whole number
)

// value is a JSON value: its kind, and its text where that is short.
type value struct {
	kind byte // the first character; of -Infinity, too, a sign
	raw  string
}

func (v value) String() string {
	switch v.kind {
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return fmt.Sprintf("%.40s", v.raw)
}

// scanner reads one JSON value, as strictly as the standard but for NaN and Infinity, and holds nothing of it.
type scanner struct {
	text string
	i    int
	err  error // the first fault
}

// document reads the whole text. It calls member with what the outermost object holds.
func (s *scanner) document(member func(key string, v value)) value {
	v := s.value(1, member)
	if s.blanks(); s.err == nil && s.i < len(s.text) {
		s.fail("the end")
	}
	return v
}

func (s *scanner) fail(want string) {
	if s.err != nil {
		return
	}
	found := "the end"
	if s.i < len(s.text) {
		found = fmt.Sprintf("%.12q", s.text[s.i:])
	}
	s.err = fmt.Errorf("no JSON: %s at byte %d, want %s", found, s.i, want)
}

func (s *scanner) blanks() {
	for s.i < len(s.text) && strings.IndexByte(" \t\n\r", s.text[s.i]) >= 0 {
		s.i++
	}
}

// peek is the next character behind blanks, 0 at the end.
func (s *scanner) peek() byte {
	if s.blanks(); s.i < len(s.text) {
		return s.text[s.i]
	}
	return 0
}

// take reads a text that must be there.
func (s *scanner) take(want string) bool {
	if s.err != nil || !strings.HasPrefix(s.text[s.i:], want) {
		s.fail(strconv.Quote(want))
		return false
	}
	s.i += len(want)
	return true
}

// value reads a value that is the depth-th of nested ones.
func (s *scanner) value(depth int, member func(string, value)) value {
	c := s.peek()
	start := s.i
	v := value{kind: c}
	switch {
	case c == '{':
		s.object(depth, member)
		return v
	case c == '[':
		s.list(depth)
		return v
	case c == '"':
		s.quoted()
	case c == 't':
		s.take("true")
	case c == 'f':
		s.take("false")
	case c == 'n':
		s.take("null")
	case c == 'N':
		s.take("NaN")
	case c == 'I':
		s.take("Infinity")
	case c == '-' && strings.HasPrefix(s.text[s.i:], "-I"):
		s.take("-Infinity")
	default: // of numbers, the first digit or sign
		s.number()
	}
	v.raw = s.text[start:s.i]
	return v
}

// deeper says whether what is nested may hold something.
func (s *scanner) deeper(depth int) bool {
	if depth > mostDepth && s.err == nil {
		s.err = fmt.Errorf("no JSON: more than %d lists and objects in one another", mostDepth)
	}
	return s.err == nil
}

func (s *scanner) object(depth int, member func(string, value)) {
	s.i++
	if s.peek() == '}' {
		s.i++
		return
	}
	for s.deeper(depth) {
		s.blanks()
		start := s.i
		s.quoted()
		key := s.text[start:s.i]
		s.blanks()
		if !s.take(":") {
			return
		}
		v := s.value(depth+1, nil)
		if s.err != nil {
			return
		}
		if member != nil {
			member(unquote(key), v)
		}
		if !s.more('}') {
			return
		}
	}
}

func (s *scanner) list(depth int) {
	s.i++
	if s.peek() == ']' {
		s.i++
		return
	}
	for s.deeper(depth) {
		if s.value(depth+1, nil); !s.more(']') {
			return
		}
	}
}

// more reads the comma before another item, or the end.
func (s *scanner) more(end byte) bool {
	switch {
	case s.err != nil:
		return false
	case s.peek() == ',':
		s.i++
		return true
	case s.peek() != end:
		s.fail("\",\" or \"" + string(end) + "\"")
		return false
	}
	s.i++
	return false
}

// quoted reads a text.
func (s *scanner) quoted() {
	if !s.take(`"`) {
		return
	}
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == '"':
			s.i++
			return
		case c == '\\':
			if !s.escape() {
				return
			}
		case c < ' ':
			s.fail("no control character")
			return
		case c < utf8.RuneSelf:
			s.i++
		default:
			r, n := utf8.DecodeRuneInString(s.text[s.i:])
			if r == utf8.RuneError && n == 1 {
				s.fail("UTF-8")
				return
			}
			s.i += n
		}
	}
	s.fail(`"`)
}

// escape reads what begins with a backslash: half a surrogate pair is a fault.
func (s *scanner) escape() bool {
	rest := s.text[s.i+1:]
	if rest != "" && strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0 {
		s.i += 2
		return true
	}
	r, ok := unit(rest)
	if ok && 0xd800 <= r && r < 0xe000 {
		low, paired := uint64(0), false
		if r < 0xdc00 && strings.HasPrefix(rest[5:], `\`) {
			low, paired = unit(rest[6:])
		}
		if ok = paired && 0xdc00 <= low && low < 0xe000; ok {
			s.i += 6
		}
	}
	if !ok {
		s.fail("an escape of a character")
		return false
	}
	s.i += 6
	return true
}

// unit is the 16 bits of uXXXX.
func unit(text string) (v uint64, ok bool) {
	if len(text) < 5 || text[0] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(text[1:5], 16, 16) // which takes neither a sign nor, with a base, an underscore
	return v, err == nil
}

// number reads a number.
func (s *scanner) number() {
	if s.i < len(s.text) && s.text[s.i] == '-' {
		s.i++
	}
	first := s.i
	n := s.digits()
	if n > 1 && s.text[first] == '0' {
		s.i = first
		s.fail("a number without a leading zero")
		return
	}
	whole := true
	if s.i < len(s.text) && s.text[s.i] == '.' {
		s.i++
		s.digits()
		whole = false
	}
	if s.i < len(s.text) && s.text[s.i]|0x20 == 'e' {
		if s.i++; s.i < len(s.text) && (s.text[s.i] == '+' || s.text[s.i] == '-') {
			s.i++
		}
		s.digits()
		whole = false
	}
	if whole && n > mostDigits && s.err == nil {
		s.err = fmt.Errorf("no JSON: a number of %d digits, want at most %d", n, mostDigits)
	}
}

// digits reads one or more.
func (s *scanner) digits() (n int) {
	for s.i < len(s.text) && '0' <= s.text[s.i] && s.text[s.i] <= '9' {
		s.i++
		n++
	}
	if n == 0 {
		s.fail("a value")
	}
	return n
}
