package tokentext

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tokens := []Token{
		{ID: 1, Content: "<s>"},
		{ID: 2, Content: "<s>>"},
		{ID: 3, Content: "word", SingleWord: true},
		{ID: 4, Content: "[L]", LStrip: true},
		{ID: 5, Content: "[R]", RStrip: true},
		{ID: 6, Content: ""},
	}
	var patterns []Pattern
	for _, token := range tokens {
		patterns = append(patterns, Pattern{token.Content, token})
	}
	finder := NewTokenFinder(patterns)
	cases := []struct{ name, text, want string }{
		{"none", "<s", `^"<s"`},
		{"nothing", "", ""},
		{"in the text", "a <s>b", `^"a " 1 "b"`},
		{"the longest", "<s>><s>", "2 1"},
		{"single words", "word words sword word_ word\u0301 (word)", `3 " words sword word_ word́ (" 3 ")"`},
		{"with white space", "a \n[L]\t[R] \u00a0b [L]", `^"a" 4 "\t" 5 "b" 4`},
		{"white space taken by the one before", "[R]  [L]", "5 4"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			finder.Split(c.text, func(part string, first bool) {
				mark := ""
				if first {
					mark = "^"
				}
				got = append(got, fmt.Sprintf("%s%q", mark, part))
			}, func(id int32) { got = append(got, fmt.Sprint(id)) })
			if text := strings.Join(got, " "); text != c.want {
				t.Errorf("got %s, want %s", text, c.want)
			}
		})
	}
}

// FuzzSplit checks that nothing of a text is lost where tokens take no white space along.
func FuzzSplit(f *testing.F) {
	f.Add("a<s>b<s>><s", "<s>", "<s>>")
	f.Add("\xff", "\xff", "")
	f.Fuzz(func(t *testing.T, text, one, two string) {
		patterns := []Pattern{{one, Token{ID: 0, Content: one}}, {two, Token{ID: 1, Content: two, SingleWord: true}}}
		var joined strings.Builder
		NewTokenFinder(patterns).Split(text, func(part string, first bool) {
			if first != (joined.Len() == 0) {
				t.Fatalf("%q: part %q is the first: %v", text, part, first)
			}
			joined.WriteString(part)
		}, func(id int32) { joined.WriteString(patterns[id].Text) })
		if joined.String() != text {
			t.Fatalf("%q gives %q", text, joined.String())
		}
	})
}
