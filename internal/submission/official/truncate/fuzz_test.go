package truncate

import (
	"bytes"
	"testing"
	"unicode/utf8"

	own "github.com/plumbline-ml/plumbline/internal/submission/truncate"
)

// What is cut is text of at most View characters on each side, or the tool dies.
func FuzzCut(f *testing.F) {
	f.Add([]byte("0123456789abcde\n"), 400, []byte("x"))
	f.Add([]byte("é\r\n"), 3000, []byte("\xc3"))
	f.Add([]byte("\r"), 9000, []byte("\n"))
	f.Add([]byte("x"), own.KeptBytes-1, []byte("\xff"))
	f.Fuzz(func(t *testing.T, part []byte, n int, end []byte) {
		if len(part) == 0 || len(part) > 100 || n < 0 || n*len(part) > 4*readSize {
			return
		}
		text := append(bytes.Repeat(part, n), end...)
		if len(text) < own.KeptBytes {
			return
		}
		short, err := truncatedText(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			if utf8.Valid(text) && len(text) == utf8.RuneCount(text) {
				t.Errorf("%v", err)
			}
			return
		}
		if n := utf8.RuneCount(short); n > 2*own.KeptBytes+len(own.GapText) || bytes.Contains(short, []byte("\r")) {
			t.Errorf("%d characters: %.100q", n, short)
		}
	})
}
