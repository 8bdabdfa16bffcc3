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

// Text returns text with control characters as escapes such as \u001b, which have the same meaning in JSON. Line breaks
// and tabs stay. Bytes that are not UTF-8 become \ufffd. Marks that change the writing direction count as control
// characters, because they can make a name look like another.
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

// Line returns Text on one line: line breaks and tabs become \n and \t.
func Line(text string) string { return escapes.Replace(Text(text)) }

var escapes = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// isControl reports whether a terminal may do more with a character than show it.
func isControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029'
}
