package subword

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

func readVocabulary(t *testing.T, path string) *Vocabulary {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ParseVocabulary(data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func checkSources(t *testing.T, path string, v *Vocabulary, want [][]int32) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := pystr.Lines(string(text))
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		if got := v.IDs(line); !slices.Equal(got, want[i]) {
			t.Errorf("%q gives %v, want %v", line, got, want[i])
		}
	}
}

func TestApply(t *testing.T) {
	codes, err := ParseCodes([]byte("#version: 0.2\na b\nb c</w>\na b\nx x\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"":             "",
		" \r\n":        " \r\n",
		"abc":          "ab@@ c",
		"  bc  abab\n": "  bc ab@@ a@@ b\n",
		"xxxy a":       "xx@@ x@@ y a",
		"a\tb":         "a@@ \t@@ b",
	} {
		if got := codes.Apply(line); got != want {
			t.Errorf("%q gives %q, want %q", line, got, want)
		}
	}
}

func TestBadCodes(t *testing.T) {
	_, err := ParseCodes([]byte("#version: 0.3\na\na b c\n\xff a\nok ok\n\na b"))
	if !errors.Is(err, ErrCodes) {
		t.Fatal(err)
	}
	for _, want := range []string{`line 1: version "0.3"`, `line 2: "a"`, `line 3: "a b c"`, "line 4: it is not UTF-8",
		`line 6: ""`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: it does not say %q", err, want)
		}
	}
	_, err = ParseCodes([]byte(strings.Repeat("x\n", 30)))
	if err == nil || !strings.Contains(err.Error(), "and 10 more") {
		t.Errorf("30 wrong lines: %v", err)
	}
}

func TestVocabulary(t *testing.T) {
	for name, text := range map[string]string{
		"special tokens":    "<unk>\n<s>\n</s>\na@@\nb\n",
		"none, so in front": "a@@\nb",
		"lines end in CRLF": "<unk>\r\n<s>\r\n</s>\r\na@@\r\nb\r\n",
	} {
		v, err := ParseVocabulary([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.IDs(" b a@@  c </s>\t b"); v.Len() != 5 || !slices.Equal(got, []int32{4, 3, 0, 0, 4}) {
			t.Errorf("%s: %d tokens, ids %v", name, v.Len(), got)
		}
		if got := v.Text([]int32{3, 4, 0, 99, -1, 3, 2, 4}); got != "ab <unk> <unk> <unk>" {
			t.Errorf("%s: text %q", name, got)
		}
	}
}

func TestBadVocabulary(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "line 1: it is empty",
		"<unk>\n<s>\n</s>\n\na":        "line 4: it is empty",
		"<unk>\n<s>\n</s>\na\nb\na":    `line 6: "a" is there before, as token 3`,
		"<unk>\n<s>\n</s>\n\xff":       "line 4: it is not UTF-8",
		"<s>\n<unk>\n</s>\na\nb\n":     `line 1: "<s>" is there before, as token 1`,
		"<unk>\n<s>\n</s>\na\u2028b\n": "",
	} {
		_, err := ParseVocabulary([]byte(text))
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if !errors.Is(err, ErrVocabulary) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestLongWord has a word that no pair but one is merged of, and a line of many words.
func TestLongWord(t *testing.T) {
	codes, err := ParseCodes([]byte("a a\naa aa\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := codes.Pieces(strings.Repeat("a", 100_000)); len(got) != 25_000 || got[0] != "aaaa@@" {
		t.Errorf("%d pieces from %q on", len(got), got[0])
	}
	if got := codes.Pieces(strings.Repeat("ab ", 100_000)); len(got) != 200_000 {
		t.Errorf("%d pieces", len(got))
	}
}

// FuzzCodes holds that pieces, glued, are the words that they were cut of.
func FuzzCodes(f *testing.F) {
	f.Add("#version: 0.2\na b\nab c</w>", "abc  ab")
	f.Add("a b\nb </w>", "ab\tb")
	f.Fuzz(func(t *testing.T, file, line string) {
		codes, err := ParseCodes([]byte(file))
		if err != nil || strings.Contains(line, continuationMark) || strings.Contains(line, wordEnd) {
			return
		}
		glued := strings.ReplaceAll(codes.Apply(line), continuationMark+" ", "")
		if want := strings.ReplaceAll(line, " ", ""); strings.ReplaceAll(glued, " ", "") != want {
			t.Errorf("%q became %q", line, glued)
		}
	})
}

// FuzzVocabulary holds that a line of known tokens comes back.
func FuzzVocabulary(f *testing.F) {
	f.Add("<unk>\n<s>\n</s>\na@@\nb\r\n")
	f.Add("a\nb")
	f.Fuzz(func(t *testing.T, file string) {
		v, err := ParseVocabulary([]byte(file))
		if err != nil {
			return
		}
		for id, token := range v.tokens {
			if ids := v.IDs(token); !strings.Contains(token, " ") && !slices.Equal(ids, []int32{int32(id)}) {
				t.Errorf("token %d, %q, has the ids %v", id, token, ids)
			}
		}
	})
}
