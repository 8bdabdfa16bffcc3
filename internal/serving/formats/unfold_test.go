package formats_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// bomb is lines of which each stands for the one before, twice.
func bomb(lines int, line string) string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x: 1}\n")
	for i := 1; i < lines; i++ {
		fmt.Fprintf(&b, "a%d: &a%d %s\n", i, i, strings.ReplaceAll(line, "*", fmt.Sprintf("*a%d", i-1)))
	}
	return b.String()
}

// TestBombs: what a text stands for is bounded, however it is folded, without being written out.
func TestBombs(t *testing.T) {
	for _, line := range []string{
		"{<<: [*, *]}", "{<<: *, b: *}", "[*, *]", "{b: *, c: *}", "!!map {b: *, c: [*]}", "[[*], [*]]", "{<<: [*, *], y: 2}",
		"{? k : *, l: *}",
	} {
		err := formats.CheckYAML([]byte(bomb(40, line)), 50, 10_000)
		if err == nil || !strings.Contains(err.Error(), "unfold") {
			t.Errorf("%s: %v", line, err)
		}
		if err := formats.CheckYAML([]byte(bomb(5, line)), 50, 10_000); err != nil {
			t.Errorf("%s, five times: %v", line, err)
		}
	}
	block := "a0: &a0\n  x: 1\n"
	for i := 1; i < 40; i++ {
		block += fmt.Sprintf("a%d: &a%d\n  <<:\n    - *a%d\n    - *a%d\n", i, i, i-1, i-1)
	}
	if err := formats.CheckYAML([]byte(block), 50, 10_000); err == nil || !strings.Contains(err.Error(), "unfold") {
		t.Errorf("in blocks: %v", err)
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: [1, 2]\n":           "",
		"":                            "",
		"a: 1\n---\nb: &x 2\nc: *x\n": "",
		"a: &x {b: *x}\n":             "part of what it stands for",
		"a: *x\n":                     "",
		"a: [1\n":                     "no YAML",
		strings.Repeat("[", 60):       "open at once",
		"[" + strings.Repeat("1, ", 9_999) + "1]": "unfold",
	} {
		if err := formats.CheckYAML([]byte(text), 50, 10_000); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("a: &a {b: 1}\nc: {<<: [*a, *a]}\n"))
	f.Fuzz(func(_ *testing.T, text []byte) { _ = formats.CheckYAML(text, 50, 1000) })
}
