// Package terminal prints text for people. Text of servers, files and plugins does not steer the terminal: control
// characters are shown as escapes. Lines are broken between words where they are longer than the terminal is wide, and
// headings and verdicts have styles where it shows them.
//
// In: what is printed. Out: what is written to files, tables (package table), and lines that are rewritten (the
// harness's package live).
package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is text with control characters as \u001b, which JSON reads as the same; line breaks and tabs stay. Bytes
// that are not UTF-8 are \ufffd. Marks that change the direction of writing count as control characters: they make a
// name look like another.
func Text(text string) string {
	if strings.IndexFunc(text, isControl) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isControl(r) || r == utf8.RuneError {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is Text in one line: line breaks and tabs are \n and \t.
func Line(text string) string { return escapes.Replace(Text(text)) }

var escapes = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// isControl says whether a terminal does more with a character than show it.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029'
}
