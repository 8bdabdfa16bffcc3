package pyvalue

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ErrText is wrapped by errors about texts that are too long or not UTF-8.
var ErrText = errors.New("no text")

// ReadText reads a text like Python: as UTF-8, with each line end replaced by \n. A text of more than most bytes is an
// error.
func ReadText(r io.Reader, maxBytes int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(maxBytes)+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxBytes:
		return "", fmt.Errorf("%w: it is larger than %d bytes", ErrText, maxBytes)
	case !utf8.Valid(text):
		return "", fmt.Errorf("%w: it is not UTF-8, %s", ErrText, badByte(text))
	}
	return newlines.Replace(string(text)), nil
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// badByte describes the first byte that is not UTF-8.
func badByte(text []byte) string {
	line := 1
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			return fmt.Sprintf("line %d has the byte %#02x", line, text[0])
		}
		if r == '\n' {
			line++
		}
		text = text[size:]
	}
	return ""
}

// IsUTF8 reports whether all texts of a value are UTF-8. JSON may contain half a surrogate pair, which cannot be
// written.
func IsUTF8(v any) bool {
	switch v := v.(type) {
	case string:
		return utf8.ValidString(v)
	case []any:
		for _, item := range v {
			if !IsUTF8(item) {
				return false
			}
		}
	case *Dict:
		for _, key := range v.keys {
			if !utf8.ValidString(key) || !IsUTF8(v.values[key]) {
				return false
			}
		}
	}
	return true
}
