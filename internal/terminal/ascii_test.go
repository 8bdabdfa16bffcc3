package terminal

import (
	"encoding/json"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIsASCII(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, "LANG=C": true, "LANG=POSIX": true, "LC_ALL=C": true, "LC_ALL=POSIX LANG=en_US.UTF-8": true,
		"LC_ALL=C.UTF-8 LANG=C": false, "LC_CTYPE=C LANG=de_DE.UTF-8": true, "LC_CTYPE=UTF-8 LANG=C": false,
		"LANG=en_US.utf8": false, "LANG=en_US": true, "LANG=de_DE.ISO-8859-1": true, "LANG=de_DE@euro": true,
		"LANG=ja_JP.eucJP": true, "LC_ALL= LANG=C": true, "LC_MESSAGES=C": false, "LANG=ca_ES.UTF-8@valencia": false,
	} {
		get := func(name string) string {
			for _, pair := range strings.Fields(env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := IsASCII(get); got != want {
			t.Errorf("%s: %v, want %v", env, got, want)
		}
	}
}

// ascii1 writes a text in pieces of a number of bytes and returns the result.
func ascii1(t *testing.T, text string, size int) string {
	t.Helper()
	var b strings.Builder
	w := NewASCIIWriter(&b)
	for len(text) > 0 {
		n := min(size, len(text))
		if got, err := w.Write([]byte(text[:n])); got != n || err != nil {
			t.Fatal(got, err)
		}
		text = text[n:]
	}
	return b.String()
}

func TestASCII(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext \x1b[1mof\x1b[0m\r\n": "plain\ttext \x1b[1mof\x1b[0m\r\n",
		"12 µs ± 3 μs":                     "12 us +- 3 us",
		"▁▂▃▄▅▆▇█":                         ".:-=+*%#",
		"a → b, 1–2, x ≤ 3 …":              "a -> b, 1-2, x <= 3 ...",
		"Zürich 漢 שלום 😀":                  `Z\u00fcrich \u6f22 \u05e9\u05dc\u05d5\u05dd \ud83d\ude00`,
		"bad \xff byte":                    `bad \ufffd byte`,
		"“q” ‘s’ «g»":                      `"q" 's' <<g>>`,
	} {
		for _, size := range []int{1, 2, 3, 1000} {
			if got := ascii1(t, text, size); got != want {
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
			}
		}
	}
}

// TestASCIIKeepsColumns checks that longer characters replace blanks before or after them, but not the last blank.
func TestASCIIKeepsColumns(t *testing.T) {
	for text, want := range map[string]string{
		"NAME   BASE\np99  ±45.0 %  1\n":      "NAME   BASE\np99 +-45.0 %  1\n",
		"ort → process  x\nort    process  x": "ort -> process x\nort    process  x",
		"…   end\nabc end":                    "... end\nabc end",
		"a ± b":                               "a +- b",
		"±1\n  two":                           "+-1\n  two",
		"漢字  x\n....  x":                      `\u6f22\u5b57 x` + "\n....  x",
	} {
		if got := ascii1(t, text, 1000); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPrintedCharactersHavePlainForms checks that all characters in the harness's own texts have a plain form.
func TestPrintedCharactersHavePlainForms(t *testing.T) {
	seen := 0
	for _, root := range []string{"cmd/harness", "bench", "internal/figure", "internal/table", "loadgen",
		"internal/submission/check", "internal/submission/audit", "internal/submission/campaign",
		"sdk/host", "sdk/conformance"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, r := range literals(text) {
				seen++
				if _, ok := plainForms[r]; !ok {
					t.Errorf("%s has %q, which has no plain form", path, r)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 10 {
		t.Errorf("%d characters were seen", seen)
	}
}

// literals returns the characters beyond NewASCIIWriter in the strings of a source.
func literals(text []byte) (all []rune) {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return all
		}
		if value, err := strconv.Unquote(literal); err == nil && (kind == token.STRING || kind == token.CHAR) {
			for _, r := range value {
				if r >= utf8.RuneSelf && r != utf8.RuneError {
					all = append(all, r)
				}
			}
		}
	}
}

// FuzzASCII requires NewASCIIWriter output that does not depend on the pieces of the text, and valid JSON for JSON
// whose characters become escapes.
func FuzzASCII(f *testing.F) {
	f.Add("µs ±  ▁█ 漢 \xff", 2)
	f.Fuzz(func(t *testing.T, text string, size int) {
		got := ascii1(t, text, 1<<20)
		for _, c := range []byte(got) {
			if c >= utf8.RuneSelf {
				t.Fatalf("%q becomes %q", text, got)
			}
		}
		if json.Valid([]byte(`"` + strings.Map(onlyLetters, text) + `"`)) {
			quoted := ascii1(t, `"`+strings.Map(onlyLetters, text)+`"`, max(1, size))
			if !json.Valid([]byte(quoted)) {
				t.Errorf("%s is no JSON", quoted)
			}
		}
	})
}

// onlyLetters keeps letters beyond NewASCIIWriter without a plain form.
func onlyLetters(r rune) rune {
	if _, ok := plainForms[r]; ok || r < utf8.RuneSelf {
		return -1
	}
	return r
}
