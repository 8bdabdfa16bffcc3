package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Width returns the number of columns of a text: two for East Asian wide characters and emoji, none for combining marks
// and style sequences.
func Width(text string) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] == '\x1b' {
			i += styleSequenceLen(text[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		n += runeWidth(r)
		i += size
	}
	return n
}

// styleSequenceLen returns the length of a style sequence at the beginning of text, including its m.
func styleSequenceLen(text string) int {
	if end := strings.IndexByte(text, 'm'); end >= 0 {
		return end + 1
	}
	return len(text)
}

// runeWidth returns the number of columns of a character (Unicode's East Asian Width, W and F; marks of kinds Mn and
// Me).
func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wideRanges, r):
		return 2
	}
	return 1
}

// wideRanges contains the ranges of wide characters, in whole blocks.
var wideRanges = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115F, Stride: 1}, {Lo: 0x2E80, Hi: 0x303E, Stride: 1}, {Lo: 0x3041, Hi: 0xA4CF, Stride: 1},
		{Lo: 0xA960, Hi: 0xA97F, Stride: 1}, {Lo: 0xAC00, Hi: 0xD7A3, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1},
		{Lo: 0xFE30, Hi: 0xFE6F, Stride: 1}, {Lo: 0xFF00, Hi: 0xFF60, Stride: 1}, {Lo: 0xFFE0, Hi: 0xFFE6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1F300, Hi: 0x1F64F, Stride: 1}, {Lo: 0x1F680, Hi: 0x1F6FF, Stride: 1},
		{Lo: 0x1F900, Hi: 0x1F9FF, Stride: 1}, {Lo: 0x20000, Hi: 0x3FFFD, Stride: 1},
	},
}

// Wrap breaks text between words into lines of up to width columns. A longer word gets its own line. A width of 0 or
// less breaks nothing. The result has at least one line.
func Wrap(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	lines, used := []string{""}, 0
	for word := range strings.FieldsSeq(text) {
		last, n := &lines[len(lines)-1], Width(word)
		switch {
		case *last == "":
			*last, used = word, n
		case used+1+n <= width:
			*last += " " + word
			used += 1 + n
		default:
			lines, used = append(lines, word), n
		}
	}
	return lines
}

// LongestWord returns the width of the widest word of text.
func LongestWord(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		n = max(n, Width(word))
	}
	return n
}

// breakLine breaks a line into lines of up to columns, and indents the later ones by two more columns. With 0 columns
// it returns the line unchanged. Blanks between words on one line stay.
func breakLine(line string, columns int) string {
	if columns <= 0 || Width(line) <= columns {
		return line
	}
	rest := strings.TrimLeft(line, " ")
	if rest == "" {
		return ""
	}
	indent := min(len(line)-len(rest), columns/2)
	deeper := strings.Repeat(" ", min(indent+2, columns/2))
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	used, first := indent, true
	for rest != "" {
		word := strings.TrimLeft(rest, " ")
		gap := len(rest) - len(word)
		if end := strings.IndexByte(word, ' '); end >= 0 {
			word = word[:end]
		}
		n := Width(word)
		if !first && word != "" && used+gap+n > columns {
			b.WriteString("\n" + deeper)
			used = len(deeper)
		} else if word != "" {
			b.WriteString(strings.Repeat(" ", gap))
			used += gap
		}
		b.WriteString(word)
		used, first = used+n, false
		rest = rest[gap+len(word):]
	}
	return b.String()
}
