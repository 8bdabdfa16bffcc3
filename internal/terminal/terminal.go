// Package terminal prints text for people. Control characters in text from servers, files and plugins are shown as
// escapes, so they cannot control the terminal. Lines longer than the terminal's width are broken between words.
// Headings and verdicts are styled if the terminal supports it.
//
// In scope: printed text. Out of scope: files, tables (package table), and rewritten lines (the harness's package
// live).
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
