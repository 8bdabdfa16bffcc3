package pyvalue

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestNullReader(t *testing.T) {
	long := strings.Repeat(`{"a": "NaN", "b": -1}, `, 5000)
	for text, want := range map[string]string{
		`{"a": NaN}`:                   `{"a": null}`,
		`[NaN,Infinity,-Infinity,-1]`:  `[null,null,null,-1]`,
		"\ufeff[1]":                    `[1]`,
		`["NaN", "\"NaN", "\\", NaN]`:  `["NaN", "\"NaN", "\\", null]`,
		`{"NaN": 1, "a\"": -Infinity}`: `{"NaN": 1, "a\"": null}`,
		"":                             "",
		"Na":                           "Na",
		"-":                            "-",
		`["ü", -0.5, "\ufeff"]`:        `["ü", -0.5, "\ufeff"]`,
		"[" + long + "NaN]":            "[" + long + "null]",
	} {
		for name, from := range map[string]io.Reader{
			"whole": strings.NewReader(text), "by bytes": iotest.OneByteReader(strings.NewReader(text)),
		} {
			got, err := io.ReadAll(NewNullReader(from))
			if err != nil || string(got) != want {
				t.Errorf("%.60q, %s: %.60q, want %.60q: %v", text, name, got, want, err)
			}
		}
		if got := NullNaN([]byte(text)); string(got) != want {
			t.Errorf("%.60q: %.60q, want %.60q", text, got, want)
		}
	}
}

// FuzzNullReader checks that valid JSON does not change.
func FuzzNullReader(f *testing.F) {
	f.Add([]byte(`{"a": [NaN, "\\\"", -1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := NullNaN(text); json.Valid(text) && !bytes.Equal(got, text) {
			t.Errorf("%q, want %q", got, text)
		}
	})
}
