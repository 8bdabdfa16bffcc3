package clip

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// unescapeEntities decodes entities like Python's html.unescape: everything that HTML 5 accepts as a character, with or
// without a ";".
func unescapeEntities(text string) string {
	return replaceEntities(text, func(rest string) (string, int) {
		if len(rest) > 1 && rest[1] == '#' {
			return decodeNumericEntity(rest)
		}
		n := 1
		for n < len(rest) && n <= maxNameLength && !strings.ContainsRune("\t\n\f <&#;", rune(rest[n])) {
			n++
		}
		if n < len(rest) && rest[n] == ';' {
			n++
		}
		return decodeNamedEntity(rest[:n]), n
	})
}

// maxNameLength limits the length of an entity's name.
const maxNameLength = 32

// unescapeClosed decodes entities like ftfy: only those that end with ";", and also names in capitals that represent
// lower-case characters.
func unescapeClosed(text string) string {
	return replaceEntities(text, func(rest string) (string, int) {
		const longest = 24
		n := 1
		if strings.HasPrefix(rest, "&#") {
			n = 2
		}
		first := n
		for n < len(rest) && n-first < longest && isAlphanumeric(rest[n]) {
			n++
		}
		if n == first || n == len(rest) || rest[n] != ';' {
			return "", 0
		}
		return decodeClosedEntity(rest[:n+1]), n + 1
	})
}

// decodeClosedEntity returns the character of an entity that ends with ";", or the entity unchanged.
func decodeClosedEntity(entity string) string {
	if entity[1] == '#' {
		if s, n := decodeNumericEntity(entity); n == len(entity) && s != ";" {
			return s
		}
		return entity
	}
	if s := decodeNamedEntity(entity); isFullyDecoded(entity, s) {
		return s
	} else if s != entity {
		return entity // only the beginning is a name
	}
	small := strings.ToLower(entity)
	if s := decodeNamedEntity(small); strings.ToUpper(small) == entity && isFullyDecoded(small, s) {
		return cases.Upper(language.Und).String(s)
	}
	return entity
}

// decodeNamedEntity is html.UnescapeString with the two names of HTML 5 that its table lacks.
func decodeNamedEntity(entity string) string {
	switch entity {
	case "&nLt;":
		return "\u226a\u20d2"
	case "&nGt;":
		return "\u226b\u20d2"
	}
	return html.UnescapeString(entity)
}

// isFullyDecoded reports whether an entity was decoded completely, without a remaining part. The result has one or two
// characters.
func isFullyDecoded(entity, s string) bool {
	return s != entity && utf8.RuneCountInString(s) <= 2
}

// replaceEntities calls read with the text from each "&" on. read returns the replacement of the first n bytes; n is 0
// for no replacement.
func replaceEntities(text string, read func(rest string) (s string, n int)) string {
	var out strings.Builder
	for {
		at := strings.IndexByte(text, '&')
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		s, n := read(text[at:])
		if n == 0 {
			s, n = "&", 1
		}
		out.WriteString(s)
		text = text[at+n:]
	}
}

// decodeNumericEntity decodes "&#NUMBER" or "&#xNUMBER" with an optional ";". n is its length, or 0 for no entity.
func decodeNumericEntity(rest string) (s string, n int) {
	digits, base := rest[2:], 10
	if digits != "" && digits[0]|' ' == 'x' {
		digits, base = digits[1:], 16
	}
	end := 0
	for end < len(digits) && isDigit(digits[end], base) {
		end++
	}
	if end == 0 {
		return "", 0
	}
	n = len(rest) - len(digits) + end
	if n < len(rest) && rest[n] == ';' {
		n++
	}
	value, err := strconv.ParseUint(digits[:end], base, 32)
	if err != nil {
		value = utf8.MaxRune + 1 // larger than any character
	}
	return html5Character(rune(min(value, utf8.MaxRune+1))), n
}

// html5Character returns the character for a number in HTML 5, or "" for characters that must not occur in text.
func html5Character(r rune) string {
	switch {
	case r == 0 || r > utf8.MaxRune || 0xd800 <= r && r <= 0xdfff:
		return string(utf8.RuneError)
	case 0x80 <= r && r <= 0x9f:
		return decodeWindows1252(r)
	case r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r', r == 0x7f, 0xfdd0 <= r && r <= 0xfdef,
		r&0xfffe == 0xfffe:
		return ""
	}
	return string(r)
}

func isDigit(c byte, base int) bool {
	return '0' <= c && c <= '9' || base == 16 && 'a' <= c|' ' && c|' ' <= 'f'
}

func isAlphanumeric(c byte) bool {
	return isDigit(c, 10) || 'a' <= c|' ' && c|' ' <= 'z'
}
