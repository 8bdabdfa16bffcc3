package clip

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fixText is ftfy's fix_text with its default options, except that it does not repair text that was read in a wrong
// encoding. It processes text line by line. From the first line with a "<" on, the text may be HTML, whose entities are
// not decoded.
func fixText(text string) string {
	var out strings.Builder
	entities := true
	for line := range strings.Lines(text) {
		entities = entities && !strings.Contains(line, "<")
		out.WriteString(fixLine(line, entities))
	}
	return out.String()
}

// fixLine applies the rules until nothing changes.
func fixLine(line string, entities bool) string {
	for {
		before := line
		if entities {
			line = unescapeClosed(line)
		}
		line = replaceCharacters(line)
		line = strings.ReplaceAll(line, "\r\n", "\n")
		line = strings.ReplaceAll(line, "\r", "\n")
		if strings.Contains(line, "\x1b") {
			line = terminalEscape.ReplaceAllString(line, "")
		}
		line = norm.NFC.String(strings.Map(dropControl, line))
		if line == before {
			return line
		}
	}
}

// terminalEscape is an escape sequence of terminals.
var terminalEscape = regexp.MustCompile(`\x1b\[[\p{Nd};]*[a-zA-Z]`)

// replaceCharacters replaces characters with their common equivalents.
func replaceCharacters(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if s, ok := findReplacement(r); ok {
			out.WriteString(s)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func findReplacement(r rune) (string, bool) {
	switch {
	case r < 0x80:
		return "", false
	case r <= 0x9f:
		return decodeWindows1252(r), true
	case r == 0x3000:
		return " ", true
	case 0xff01 <= r && r <= 0xffee: // full-width and half-width forms
		return norm.NFKC.String(string(r)), true
	case r == 0x2bc || 0x2018 <= r && r <= 0x201b:
		return "'", true
	case 0x201c <= r && r <= 0x201f:
		return `"`, true
	case r == 0x2028 || r == 0x2029:
		return "\n", true
	}
	return splitLigature(r)
}

// splitLigature splits ligatures and other characters that exist for compatibility with other encodings.
func splitLigature(r rune) (string, bool) {
	switch {
	case r == 'ŉ':
		return "'n", true // the apostrophe becomes a straight one
	case r == 'ﬅ':
		return "ſt", true
	case r == 'Ĳ' || r == 'ĳ' || 'Ǆ' <= r && r <= 'ǌ' || 'Ǳ' <= r && r <= 'ǳ' || 'ﬀ' <= r && r <= 'ﬆ':
		return norm.NFKC.String(string(r)), true
	}
	return "", false
}

// decodeWindows1252 returns the character for a control character of Latin-1 in Windows-1252. Five are undefined there
// and remain unchanged.
func decodeWindows1252(r rune) string {
	const table = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
	return string([]rune(table)[r-0x80])
}

// dropControl returns -1 for control characters that do not belong in text. It is a function for strings.Map.
func dropControl(r rune) rune {
	switch {
	case r < ' ' && r != '\t' && r != '\n' && r != '\f' && r != '\r', r == 0x7f, 0x206a <= r && r <= 0x206f,
		0xfff9 <= r && r <= 0xfffc, r == 0xfeff:
		return -1
	}
	return r
}
