// Package terminal shows text of servers, files and plugins without letting it steer the terminal: control characters
// stand there as escapes.
//
// In: what is printed. Out: what is written to files, and the harness's own control sequences (package live).
package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Text is text with control characters as \u001b, which JSON reads as the same; line breaks and tabs stay. Bytes
// that are not UTF-8 are \ufffd. Marks that change the direction of writing count as control characters: they make a
// name look like another.
func Text(text string) string {
	if strings.IndexFunc(text, steers) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if steers(r) || r == utf8.RuneError {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Line is Text in one line: line breaks and tabs are \n and \t.
func Line(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Text(text))
}

// steers says whether a terminal does more with a character than show it.
func steers(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029'
}

// Writer writes what Text makes of what it is given. A character may come in two pieces.
type Writer struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character
}

// NewWriter writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := append(w.rest, text...)
	end := len(whole) - unfinished(whole)
	w.rest = append([]byte(nil), whole[end:]...)
	if end == 0 {
		return len(text), nil
	}
	if _, err := io.WriteString(w.to, Text(string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// unfinished is the number of bytes at the end that begin a character.
func unfinished(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
