package librispeech

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// pythonSeconds is a number that JSON contains in Python's notation of floats, such as 2.0 for a whole number.
type pythonSeconds float64

// MarshalJSON writes the shortest exact notation, with a point or an exponent.
func (s pythonSeconds) MarshalJSON() ([]byte, error) { return []byte(pyfloat.Repr(float64(s))), nil }

// pythonJSON returns JSON in the form of Python's json.dump with an indent of 2: ASCII without a final newline.
func pythonJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeNonASCII(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// escapeNonASCII escapes characters outside ASCII.
func escapeNonASCII(text []byte) []byte {
	var b []byte
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch {
		case r < utf8.RuneSelf:
			b = append(b, byte(r))
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, "\\u%04x\\u%04x", high, low)
		default:
			b = fmt.Appendf(b, "\\u%04x", r)
		}
	}
	return b
}
