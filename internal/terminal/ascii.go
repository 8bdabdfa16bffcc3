package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// IsASCII says whether an environment names a locale whose characters are not UTF-8, such as C, POSIX or
// de_DE.ISO-8859-1: the first of LC_ALL, LC_CTYPE and LANG that is set decides (POSIX, "Internationalization
// Variables"). Where none is set nothing is known, and text stays UTF-8.
func IsASCII(env func(name string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}

// ASCII is a writer to w for text of which a terminal shows only ASCII: µs becomes us, ± becomes +-. Other characters
// are escapes, \u00fc, which JSON reads as the same. A character that becomes longer takes the room of blanks beside
// it, so that columns stay where they are. A character may come in two pieces. Write may be called from any goroutine.
func ASCII(w io.Writer) io.Writer { return &asciiWriter{to: w} }

type asciiWriter struct {
	to io.Writer

	mu   sync.Mutex
	rest []byte // the beginning of a character
	owed int    // how many columns the line is longer than it was
}

// Write implements io.Writer.
func (w *asciiWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := append(w.rest, text...)
	end := len(whole) - unfinishedBytes(whole)
	w.rest = append([]byte(nil), whole[end:]...)
	if end == 0 {
		return len(text), nil
	}
	if _, err := io.WriteString(w.to, w.toASCII(string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// toASCII is the text in ASCII.
func (w *asciiWriter) toASCII(text string) string {
	var b []byte
	for i, r := range text {
		switch {
		case r == '\n' || r == '\r':
			w.owed = 0
		case r == ' ' && w.owed > 0 && strings.HasPrefix(text[i+1:], " "): // one stays
			w.owed--
			continue
		}
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
			continue
		}
		plain, ok := inASCII[r]
		if !ok {
			plain = escapeRune(r)
		}
		w.owed += len(plain) - columnsOf(r)
		for w.owed > 0 && len(b) > 1 && b[len(b)-1] == ' ' && b[len(b)-2] == ' ' {
			b, w.owed = b[:len(b)-1], w.owed-1
		}
		b = append(b, plain...)
	}
	return string(b)
}

// escapeRune is a character as JSON writes it.
func escapeRune(r rune) string {
	if r <= 0xffff {
		return fmt.Sprintf(`\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}

// inASCII are the characters that have a plain form: those that the harness writes, and what names and messages of
// others often have.
var inASCII = map[rune]string{
	'µ': "u", 'μ': "u", '±': "+-", '×': "x", '÷': "/", '·': "*", '°': " deg", '²': "^2", '³': "^3", '€': "EUR",
	'▁': ".", '▂': ":", '▃': "-", '▄': "=", '▅': "+", '▆': "*", '▇': "%", '█': "#",
	'▏': "|", '▎': "|", '▍': "|", '▌': "|", '▋': "#", '▊': "#", '▉': "#", '░': ".", '▒': ":", '▓': "#", '■': "#", '●': "*",
	'←': "<-", '→': "->", '↑': "^", '↓': "v", '↔': "<->", '⇒': "=>", '≤': "<=", '≥': ">=", '≠': "!=", '≈': "~",
	'√': "sqrt",
	'∞': "inf", '−': "-", '‐': "-", '‑': "-", '–': "-", '—': "-", '…': "...", '•': "*",
	'‘': "'", '’': "'", '“': `"`, '”': `"`, '„': `"`, '«': "<<", '»': ">>", '\u00a0': " ", '\u202f': " ", '\u2009': " ",
	'─': "-", '│': "|", '┌': "+", '┐': "+", '└': "+", '┘': "+", '├': "+", '┤': "+", '┬': "+", '┴': "+", '┼': "+",
	'┄': "-", '┆': "|", '✓': "ok", '✔': "ok", '✗': "x", '✘': "x", '\ufeff': "",
}
