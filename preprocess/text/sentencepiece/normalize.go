package sentencepiece

import (
	"strings"
	"unicode/utf8"
)

// normalizeText applies the model's rules, and inserts, removes and escapes blanks as the model requires.
func (m *Model) normalizeText(text string, dummyPrefix bool) string {
	for m.file.removeSpaces && text != "" {
		part, n := m.normalizePrefix(text)
		if part != " " {
			break
		}
		text = text[n:]
	}
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/2)
	if dummyPrefix {
		b.WriteString(blank)
	}
	spaced := m.file.removeSpaces
	for text != "" {
		part, n := m.normalizePrefix(text)
		text = text[n:]
		if spaced {
			part = strings.TrimLeft(part, " ")
		}
		if part != "" {
			writeEscaped(&b, part)
			spaced = m.file.removeSpaces && part[len(part)-1] == ' '
		}
	}
	normalized := b.String()
	for m.file.removeSpaces && strings.HasSuffix(normalized, blank) {
		normalized = strings.TrimSuffix(normalized, blank)
	}
	return normalized
}

// writeEscaped writes part with escaped blanks. It is faster than strings.ReplaceAll, because parts are single
// characters.
func writeEscaped(b *strings.Builder, part string) {
	for i := range len(part) {
		if part[i] == ' ' {
			b.WriteString(blank)
		} else {
			b.WriteByte(part[i])
		}
	}
}

// normalizePrefix normalizes the first characters of a text and returns their length in bytes. User-defined pieces
// remain unchanged, and invalid bytes become U+FFFD.
func (m *Model) normalizePrefix(text string) (part string, length int) {
	if symbol := m.findUserPiece(text); symbol != "" {
		return symbol, len(symbol)
	}
	if replacement, n := m.rules.replacePrefix(text); n > 0 {
		return string(replacement), n
	}
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		return string(utf8.RuneError), 1
	}
	return text[:size], size
}

// userDefinedKind returns the longest user-defined piece at the start of text, or "".
func (m *Model) findUserPiece(text string) string {
	for _, symbol := range m.userPieces[text[0]] {
		if strings.HasPrefix(text, symbol) {
			return symbol
		}
	}
	return ""
}
