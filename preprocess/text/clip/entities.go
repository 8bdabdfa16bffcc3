package clip

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// unescapeEntities does what html.unescape of Python does: all that HTML 5 takes for a character, with or without a
// ";".
func unescapeEntities(text string) string {
	return eachEntity(text, func(rest string) (string, int) {
		if len(rest) > 1 && rest[1] == '#' {
			return numericEntity(rest)
		}
		n := 1
		for n < len(rest) && n <= maxNameLength && !strings.ContainsRune("\t\n\f <&#;", rune(rest[n])) {
			n++
		}
		if n < len(rest) && rest[n] == ';' {
			n++
		}
		return namedEntity(rest[:n]), n
	})
}

// maxNameLength bounds the name of an entity.
const maxNameLength = 32

// unescapeClosed is ftfy's: entities that end with ";" alone, and names in capitals of characters in small letters.
func unescapeClosed(text string) string {
	return eachEntity(text, func(rest string) (string, int) {
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
		return closedEntity(rest[:n+1]), n + 1
	})
}

// closedEntity returns what an entity with its ";" stands for, or itself.
func closedEntity(entity string) string {
	if entity[1] == '#' {
		if s, n := numericEntity(entity); n == len(entity) && s != ";" {
			return s
		}
		return entity
	}
	if s := namedEntity(entity); isCharacter(entity, s) {
		return s
	} else if s != entity {
		return entity // it only begins with a name
	}
	small := strings.ToLower(entity)
	if s := namedEntity(small); strings.ToUpper(small) == entity && isCharacter(small, s) {
		return cases.Upper(language.Und).String(s)
	}
	return entity
}

// namedEntity is html.UnescapeString with the two names of HTML 5 that its table lacks.
func namedEntity(entity string) string {
	switch entity {
	case "&nLt;":
		return "\u226a\u20d2"
	case "&nGt;":
		return "\u226b\u20d2"
	}
	return html.UnescapeString(entity)
}

// isCharacter tells an entity that was read whole from one of which a part is left: none has more than two characters.
func isCharacter(entity, s string) bool {
	return s != entity && utf8.RuneCountInString(s) <= 2
}

// eachEntity calls read with the text from each "&" on, which returns what stands for its first n bytes; n of 0:
// nothing.
func eachEntity(text string, read func(rest string) (s string, n int)) string {
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

// numericEntity reads "&#NUMBER" or "&#xNUMBER" and the ";" that may follow: n is its length, 0 for none.
func numericEntity(rest string) (s string, n int) {
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
		value = utf8.MaxRune + 1 // beyond all characters
	}
	return characterOf(rune(min(value, utf8.MaxRune+1))), n
}

// characterOf is the character of a number in HTML 5; what no text may hold is none.
func characterOf(r rune) string {
	switch {
	case r == 0 || r > utf8.MaxRune || 0xd800 <= r && r <= 0xdfff:
		return string(utf8.RuneError)
	case 0x80 <= r && r <= 0x9f:
		return windows1252(r)
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
