package pystr

import (
	"strings"
	"unicode"
)

// IsSpace is str.isspace: Unicode's white space, and the four separators of ASCII, which Go leaves out.
func IsSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// Fields is str.split without arguments.
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// Trim is str.strip without arguments.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// IsWord is what \w matches in a pattern: letters, numbers of all kinds, and the underscore.
func IsWord(r rune) bool {
	if r < unicode.MaxASCII {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.N)
}
