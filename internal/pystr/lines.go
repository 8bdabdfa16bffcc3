package pystr

import (
	"strings"
	"unicode/utf8"
)

// Lines implements str.splitlines: it returns the lines of s without their ends. A line also ends at \v, \f, U+001C to
// U+001E, U+0085, U+2028 and U+2029; \r\n is one end. Text after the last end is a line unless it is empty.
func Lines(s string) []string {
	var lines []string
	for len(s) > 0 {
		i := strings.IndexFunc(s, endsLine)
		if i < 0 {
			return append(lines, s)
		}
		lines = append(lines, s[:i])
		_, size := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			size = 2
		}
		s = s[i+size:]
	}
	return lines
}

func endsLine(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
