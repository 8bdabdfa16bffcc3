package pystr

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The expected values of this file come from CPython 3.11.

func TestLower(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"plain", "The ÉTUDE", "the étude"},
		{"dotted I", "İstanbul", "i\u0307stanbul"},
		{"kelvin", "\u212a", "k"},
		{"sigma alone", "Σ", "σ"},
		{"sigmas of a word", "ΣΟΦΟΣ", "σοφος"},
		{"sigma before a word", "ΑΣΑ", "ασα"},
		{"sigma after a digit", "1Σ", "1σ"},
		{"sigma and ignored signs", "Α'Σ.:", "α'ς.:"},
		{"sigma, apostrophe, letter", "ΑΣ'Α", "ασ'α"},
		{"sigma and a mark", "ΑΣ\u0301", "ας\u0301"},
		{"sharp s", "Straße ẞ", "straße ß"},
		{"invalid", "ΑΣ\xff", "ας\ufffd"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Lower(c.text); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := LowerRune('Σ') + LowerRune('İ') + LowerRune('A'); got != "σi\u0307a" {
		t.Errorf("single characters give %q", got)
	}
}

func TestFieldsAndTrim(t *testing.T) {
	const text = "\x1c a\x1fb\u00a0c\u2003\u3000d\u200be \u0085"
	want := []string{"a", "b", "c", "d\u200be"}
	if got := Fields(text); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := slices.Collect(FieldsSeq(text)); !slices.Equal(got, want) {
		t.Errorf("one after the other: got %q, want %q", got, want)
	}
	if got, want := Trim(text), "a\x1fb\u00a0c\u2003\u3000d\u200be"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIsWord(t *testing.T) {
	for _, r := range "aZ0_é²½Ⅳ東ªºٱ" {
		if !IsWord(r) {
			t.Errorf("%q is none", r)
		}
	}
	for _, r := range " -'\u0301\u200d🙂€ⓐ\ufffd" {
		if IsWord(r) {
			t.Errorf("%q is one", r)
		}
	}
}

func TestDecode(t *testing.T) {
	cases := []struct{ bytes, want string }{
		{"plain é", "plain é"},
		{"\xff\xfe", "\ufffd\ufffd"},
		{"\xe2\x82", "\ufffd"},
		{"\xe2\x82a", "\ufffda"},
		{"\xe2\x28\xa1", "\ufffd(\ufffd"},
		{"\xf0\x9f\x99", "\ufffd"},
		{"\xf0\x9f\x99\xf0\x9f\x99\x82", "\ufffd🙂"},
		{"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},
		{"\xc0\xaf\xe0\x80\xbf", "\ufffd\ufffd\ufffd\ufffd\ufffd"},
		{"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
		{"\xf4\x8f\xbf", "\ufffd"},
		{"\xf1\x80\xe1\x80\xc2", "\ufffd\ufffd\ufffd"},
		{"\ufffd\x80", "\ufffd\ufffd"},
	}
	for _, c := range cases {
		if got := Decode([]byte(c.bytes)); got != c.want {
			t.Errorf("% x: got %q, want %q", c.bytes, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"a\xe2\x82b", "\xf0\x9f", "\xed\xa0\x80", "é\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Decode(b)
		if !utf8.ValidString(s) {
			t.Fatalf("% x gives %q", b, s)
		}
		if perByte := strings.ToValidUTF8(string(b), ""); strings.ReplaceAll(s, "\ufffd",
			"") != strings.ReplaceAll(perByte, "\ufffd", "") {
			t.Fatalf("% x: %q keeps other characters than %q", b, s, perByte)
		}
	})
}

func FuzzLower(f *testing.F) {
	f.Add("ΑΣ'İ\xff")
	f.Fuzz(func(t *testing.T, s string) {
		lower := Lower(s)
		if again := Lower(lower); again != lower && !strings.ContainsRune(s, utf8.RuneError) {
			t.Fatalf("%q: %q, and again %q", s, lower, again)
		}
		if strings.ContainsRune(lower, 'Σ') || !utf8.ValidString(lower) {
			t.Fatalf("%q gives %q", s, lower)
		}
	})
}

func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":                             nil,
		"\n":                           {""},
		"a\n\nb":                       {"a", "", "b"},
		"a\r\nb\rc\n\rd\n":             {"a", "b", "c", "", "d"},
		"a\vb\fc\x1cd\x1de\x1ef\x1fg":  {"a", "b", "c", "d", "e", "f\x1fg"},
		"a\u0085b\u2028c\u2029d\u00a0": {"a", "b", "c", "d\u00a0"},
	} {
		if got := Lines(text); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
