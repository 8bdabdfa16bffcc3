package pystr

import (
	"strings"
	"unicode/utf8"
)

// Decode implements bytes.decode("utf-8", errors="replace"). Each longest run of bytes that starts a character but does
// not complete it becomes one U+FFFD, as The Unicode Standard recommends (section 3.9, U+FFFD Substitution of Maximal
// Subparts). Go's conversion writes one U+FFFD for each byte.
func Decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = subpartLength(b)
		}
		s.WriteRune(r)
		b = b[size:]
	}
	return s.String()
}

// subpartLength returns the length of the longest incomplete character at the start of b, or 1. b must not start with a
// complete character.
func subpartLength(b []byte) int {
	size, low, high := leadByte(b[0])
	n := 1
	for n < min(size, len(b)) && low <= b[n] && b[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

// leadByte returns the length of a character that starts with the byte, and the range of its second byte (The Unicode
// Standard, table 3-7).
func leadByte(b byte) (size int, low, high byte) {
	low, high = 0x80, 0xbf
	switch {
	case b < 0xc2 || b > 0xf4:
		return 1, low, high
	case b < 0xe0:
		return 2, low, high
	case b == 0xe0:
		return 3, 0xa0, high
	case b == 0xed:
		return 3, low, 0x9f
	case b < 0xf0:
		return 3, low, high
	case b == 0xf0:
		return 4, 0x90, high
	case b == 0xf4:
		return 4, low, 0x8f
	}
	return 4, low, high
}
