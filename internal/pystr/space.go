package pystr

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace implements str.isspace: it reports whether r is white space of Unicode or one of ASCII's four separators,
// which unicode.IsSpace does not include.
func IsSpace(r rune) bool {
	if '!' <= r && r <= '~' {
		return false
	}
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// Fields implements str.split without arguments.
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// FieldsSeq returns an iterator over the parts of Fields.
func FieldsSeq(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start := 0; start < len(s); {
			space, size := spaceAt(s, start)
			if space {
				start += size
				continue
			}
			end := start + size
			for end < len(s) {
				if space, size = spaceAt(s, end); space {
					break
				}
				end += size
			}
			if !yield(s[start:end]) {
				return
			}
			start = end
		}
	}
}

// spaceAt reports whether the character at s[i] is white space, and returns its size in bytes.
func spaceAt(s string, i int) (space bool, size int) {
	if c := s[i]; c < utf8.RuneSelf {
		return c == ' ' || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f, 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return IsSpace(r), size
}

// Trim implements str.strip without arguments.
func Trim(s string) string { return strings.TrimFunc(s, IsSpace) }

// TrimLeft implements str.lstrip without arguments.
func TrimLeft(s string) string { return strings.TrimLeftFunc(s, IsSpace) }

// TrimRight implements str.rstrip without arguments.
func TrimRight(s string) string { return strings.TrimRightFunc(s, IsSpace) }

// IsWord reports whether \w matches the character: letters, numbers of all kinds, and the underscore.
func IsWord(r rune) bool {
	if r < unicode.MaxASCII {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.In(r, unicode.L, unicode.N)
}
