package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// IsASCII reports whether an environment names a locale without UTF-8, such as C, POSIX or de_DE.ISO-8859-1. The first
// of LC_ALL, LC_CTYPE and LANG that is set decides (POSIX, "Internationalization Variables"). If none is set, it
// returns false.
func IsASCII(env func(name string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}

// NewASCIIWriter returns a writer to w for terminals that show only NewASCIIWriter. µs becomes us, and ± becomes +-.
// Other characters become escapes such as \u00fc, which have the same meaning in JSON. A character that becomes longer
// replaces blanks after it, so that columns stay aligned. A character may be split between two calls of Write. Write is
// safe for concurrent use.
func NewASCIIWriter(w io.Writer) io.Writer { return &asciiWriter{to: w} }

type asciiWriter struct {
	to io.Writer

	mu           sync.Mutex
	partial      []byte // beginning of a character
	extraColumns int    // columns by which the line has become longer
}

// Write implements io.Writer.
func (w *asciiWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole := append(w.partial, text...)
	end := len(whole) - unfinishedBytes(whole)
	w.partial = append([]byte(nil), whole[end:]...)
	if end == 0 {
		return len(text), nil
	}
	if _, err := io.WriteString(w.to, w.toASCII(string(whole[:end]))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// toASCII returns the text in NewASCIIWriter.
func (w *asciiWriter) toASCII(text string) string {
	var b []byte
	for i, r := range text {
		switch {
		case r == '\n' || r == '\r':
			w.extraColumns = 0
		case r == ' ' && w.extraColumns > 0 && strings.HasPrefix(text[i+1:], " "): // one blank stays
			w.extraColumns--
			continue
		}
		if r < utf8.RuneSelf {
			b = append(b, byte(r))
			continue
		}
		plain, ok := plainForms[r]
		if !ok {
			plain = escapeRune(r)
		}
		w.extraColumns += len(plain) - runeWidth(r)
		for w.extraColumns > 0 && len(b) > 1 && b[len(b)-1] == ' ' && b[len(b)-2] == ' ' {
			b, w.extraColumns = b[:len(b)-1], w.extraColumns-1
		}
		b = append(b, plain...)
	}
	return string(b)
}

// escapeRune returns a character's escape in JSON.
func escapeRune(r rune) string {
	if r <= 0xffff {
		return fmt.Sprintf(`\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}

// plainForms maps characters to their plain forms: the characters that the harness writes, and frequent ones in other
// texts.
var plainForms = map[rune]string{
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
