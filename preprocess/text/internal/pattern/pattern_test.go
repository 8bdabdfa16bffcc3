package pattern

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func split(t testing.TB, expression, text string) (parts []string) {
	t.Helper()
	p, err := Compile(expression)
	if err != nil {
		t.Fatal(err)
	}
	p.Each(text, func(part string, _ bool) { parts = append(parts, part) })
	return parts
}

// TestReference compares with what Hugging Face's tokenizers gave: testdata/make.py.
func TestReference(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compared := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var expression, text string
		var want []string
		if err := json.Unmarshal(lines.Bytes(), &[]any{&expression, &text, &want}); err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(expression); err != nil {
			continue // what may be nothing is refused here
		}
		if got := split(t, expression, text); !slices.Equal(got, want) {
			t.Errorf("%s splits %q into %q, want %q", expression, text, got, want)
		}
		compared++
	}
	if compared < 200 {
		t.Errorf("%d cases", compared)
	}
}

func TestEach(t *testing.T) {
	for _, c := range []struct{ name, expression, text, want string }{
		{"nothing between", `\p{N}{1,3}`, "1234567a", "<123><456><7>a"},
		{"a count repeated", `\p{N}{1,3}+`, "1234567a", "<1234567>a"},
		{"any case", `(?i:'s|'re)`, "'S 'ſ 'Re", "<'S> <'ſ> <'Re>"},
		{"any case from here", `(?i)ab|c`, "AB C", "<AB> <C>"},
		{"the first alternative", `a|ab`, "ab", "<a>b"},
		{"possessive", `a++b|a`, "aaab aa", "<aaab> <a><a>"},
		{"behind the match before", `(?<=a)b`, "abb", "a<b>b"},
		{"characters by number", `[\x41\x{1F642}\u0042]+`, "AB🙂C", "<AB🙂>C"},
		{"properties", `\p{Lu}\p{^Lu}\P{Lu}|\p{greek}|\pN`, "Abc α1", "<Abc> <α><1>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Compile(c.expression)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			p.Each(c.text, func(part string, match bool) {
				if match {
					part = "<" + part + ">"
				}
				got.WriteString(part)
			})
			if got.String() != c.want {
				t.Errorf("got %s, want %s", got.String(), c.want)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct{ expression, says string }{
		{``, "may match nothing"},
		{`a*`, "may match nothing"},
		{`(?=a)`, "may match nothing"},
		{`(?:a*)*b`, "repetition of something that may be empty"},
		{`a**`, "a quantifier behind a quantifier"},
		{`a{2}?`, "a ? behind a count"},
		{`a{3,2}`, "the counts {3,2}"},
		{`a{1001}`, "the counts {1001}"},
		{`*a`, "nothing to repeat"},
		{`(a`, "a ( without its )"},
		{`a)`, "a ) without its ("},
		{`[a`, "a [ without its ]"},
		{`[z-a]`, "a range"},
		{`[\s-z]`, "a range"},
		{`[[:alpha:]]`, "the class"},
		{`\p{Nonsense}`, `the property "Nonsense"`},
		{`\p{L`, "a { without its }"},
		{`\b`, `the escape \b`},
		{`(a)\1`, `the escape \1`},
		{`\xff`, `the byte \xff`},
		{`\x{110000}`, "the character number"},
		{`(?<name>a)`, "the group (?<nam"},
		{`(?m:a)`, "the group (?m:a"},
		{`(?<=ab)c`, "a lookbehind of anything but one character"},
		{`(?i:ss)`, `"ss" in any case`},
		{`(?i:é)`, "beyond ASCII in any case"},
		{`a\`, `a \ at the end`},
		{strings.Repeat("(", 60) + "a" + strings.Repeat(")", 60), "more than 50 groups"},
		{`(?:(?:ab){1000}){1000}`, "more than 2000 steps"},
		{strings.Repeat("a", 10_001), "want at most 10000"},
	} {
		if _, err := Compile(c.expression); !errors.Is(err, ErrPattern) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.30q: %v, want one that says %q", c.expression, err, c.says)
		}
	}
}

// TestHostileExpressions would not end if what was tried were tried again.
func TestHostileExpressions(t *testing.T) {
	text := strings.Repeat("a", 2000)
	for _, expression := range []string{`(?:a|aa)+b`, `(?:(?:a+)+)+b`, `(?:a|a|a|a)+?b`, `(?:a{1,50}){1,50}b`,
		`(?:(?=(?:a|aa)+b)a)+c`} {
		if got := split(t, expression, text); len(got) != 1 {
			t.Errorf("%s: %d parts", expression, len(got))
		}
	}
}

// FuzzEach checks that parts make up the text, whatever the expression.
func FuzzEach(f *testing.F) {
	f.Add(`(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+`, "I'm 12345\n x")
	f.Add(`[a-c&&[^b]]++(?<!x)|(?>a|ab)c$`, "abcabc")
	f.Add(`(?:a|b*?c){2,3}+|^x\z`, "aacbc")
	f.Fuzz(func(t *testing.T, expression, text string) {
		p, err := Compile(expression)
		if err != nil {
			if !errors.Is(err, ErrPattern) {
				t.Fatal(err)
			}
			return
		}
		var whole strings.Builder
		p.Each(strings.ToValidUTF8(text, "?"), func(part string, _ bool) {
			if part == "" {
				t.Fatal("an empty part")
			}
			whole.WriteString(part)
		})
		if whole.String() != strings.ToValidUTF8(text, "?") {
			t.Fatalf("%s: %q became %q", expression, text, whole.String())
		}
	})
}

func BenchmarkEach(b *testing.B) {
	p, err := Compile(
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("The mother of Kowalski measured by Kingsport Brandt near the early result? It's 1728. ", 40)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p.Each(text, func(string, bool) {})
	}
}
