package bpe

import (
	"slices"
	"testing"
)

func TestScanners(t *testing.T) {
	cases := []struct {
		name, text        string
		gpt2, llama, qwen []string
	}{
		{"words", "a bc  d ", []string{"a", " bc", " ", " d", " "}, []string{"a", " bc", " ", " d", " "}, nil},
		{"numbers", "x12345 67", []string{"x", "12345", " 67"}, []string{"x", "123", "45", " ", "67"}, []string{"x", "1", "2", "3", "4", "5", " ", "6", "7"}},
		{"contractions", "I'm HE'LL 'sup", []string{"I", "'m", " HE", "'", "LL", " '", "sup"}, []string{"I", "'m", " HE", "'LL", " '", "sup"}, nil},
		{"long s", "x'ſy", []string{"x", "'", "ſy"}, []string{"x", "'ſ", "y"}, nil},
		{"signs", "(a) .. \u00bd!", []string{"(", "a", ")", " ..", " \u00bd", "!"}, []string{"(a", ")", " ..", " ", "\u00bd", "!"}, nil},
		{"line ends", "a.\n\n b \n\n  c\r\n", []string{"a", ".", "\n\n", " b", " \n\n ", " c", "\r\n"}, []string{"a", ".\n\n", " b", " \n\n", " ", " c", "\r\n"}, nil},
		{"white space of Unicode", "\u00a0\u2003x\x1cy\u0085", []string{"\u00a0", "\u2003", "x", "\x1c", "y", "\u0085"}, []string{"\u00a0", "\u2003x", "\x1cy", "\u0085"}, nil},
		{"one blank before a line end", " \nx", []string{" ", "\n", "x"}, []string{" \n", "x"}, nil},
		{"apostrophes", "'' 'r", []string{"''", " '", "r"}, []string{"''", " '", "r"}, nil},
		{"end in a contraction", "'", []string{"'"}, []string{"'"}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.qwen == nil {
				c.qwen = c.llama
			}
			for pattern, want := range map[string][]string{patternGPT2: c.gpt2, patternLlama: c.llama, patternQwen: c.qwen} {
				var got []string
				scanAll(scannerOf(pattern))(c.text, true, func(piece string) { got = append(got, piece) })
				if !slices.Equal(got, want) {
					t.Errorf("%.30s: got %q, want %q", pattern, got, want)
				}
			}
		})
	}
	if scannerOf(`\w+`) != nil {
		t.Error("an unknown pattern has a scanner")
	}
}

// FuzzScanners checks that the pieces make the text, and that white space ends where the patterns end it.
func FuzzScanners(f *testing.F) {
	for _, seed := range []string{"I'm 12345  x\r\n", "\u00a0'ſ\u0085", "'", " ", "\xff\xfe '"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, pattern := range []string{patternGPT2, patternLlama, patternQwen} {
			scan, at := scannerOf(pattern), 0
			for at < len(text) {
				n := scan(text[at:])
				if n < 1 || n > len(text)-at {
					t.Fatalf("%q: a piece of %d bytes at %d of %d", text, n, at, len(text))
				}
				at += n
			}
		}
	})
}
