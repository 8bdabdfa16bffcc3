package truncate

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// What is cut officially is text of at most View characters on each side, or the tool dies.
func FuzzCutOfficially(f *testing.F) {
	f.Add([]byte("0123456789abcde\n"), 400, []byte("x"))
	f.Add([]byte("é\r\n"), 3000, []byte("\xc3"))
	f.Add([]byte("\r"), 9000, []byte("\n"))
	f.Add([]byte("x"), View-1, []byte("\xff"))
	f.Fuzz(func(t *testing.T, part []byte, n int, end []byte) {
		if len(part) == 0 || len(part) > 100 || n < 0 || n*len(part) > 4*readSize {
			return
		}
		text := append(bytes.Repeat(part, n), end...)
		if len(text) < View {
			return
		}
		short, err := cutOfficially(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			if utf8.Valid(text) && len(text) == utf8.RuneCount(text) {
				t.Errorf("%v", err)
			}
			return
		}
		if n := utf8.RuneCount(short); n > 2*View+len(Gap) || bytes.Contains(short, []byte("\r")) {
			t.Errorf("%d characters: %.100q", n, short)
		}
	})
}

// A hash is found only where a line says so, and a note of it is found again.
func FuzzNotedHash(f *testing.F) {
	for _, text := range []string{"hash=abc\n", "x\r\nhash=ABC\r\n", "accuracy=1% hash=abc", "hash=a\nhash=b\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		hash, err := notedHash(text, "accuracy.txt")
		if err != nil || hash == "" {
			return
		}
		again, err := notedHash(append([]byte("\nhash="+hash+"\n"), text...), "accuracy.txt")
		if again != hash || err != nil {
			t.Errorf("%q, then %q, %v", hash, again, err)
		}
	})
}
