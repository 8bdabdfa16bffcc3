package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain ü 漢\ttab\n":            "plain ü 漢\ttab\n",
		"\x1b[31mred\x1b]0;title\x07": `\u001b[31mred\u001b]0;title\u0007`,
		"a\rb\b\x00\x7f":              `a\u000db\u0008\u0000\u007f`,
		"\u009b31m\u202eabc\u2028":    `\u009b31m\u202eabc\u2028`,
		"bad \x9b byte":               `bad \ufffd byte`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Line("a\nb\t\x1b"); got != `a\nb\t\u001b` {
		t.Errorf("%q", got)
	}
}

// TestWriter writes a text byte by byte and checks that characters stay whole.
func TestWriter(t *testing.T) {
	var b strings.Builder
	w := NewWriter(&b, Options{})
	for _, c := range []byte("ü漢😀\x1b[1m\xe6x") {
		if n, err := w.Write([]byte{c}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := `ü漢😀\u001b[1m\ufffdx`; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// FuzzText requires text without control characters, and JSON with the same value.
func FuzzText(f *testing.F) {
	f.Add("\x1b[2J\u009b", "x")
	f.Fuzz(func(t *testing.T, text, value string) {
		shown := Text(text)
		if !utf8.ValidString(shown) || strings.IndexFunc(shown, isControl) >= 0 || strings.Contains(Line(text), "\n") {
			t.Errorf("%q is shown as %q", text, shown)
		}
		doc, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var a, b string
		if json.Unmarshal(doc, &a) != nil || json.Unmarshal([]byte(Text(string(doc))), &b) != nil || a != b {
			t.Errorf("JSON %s reads as %q after Text", doc, b)
		}
	})
}
