package pyvalue

import (
	"fmt"
	"iter"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// Text returns the value as str(v) writes it.
func Text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Repr(v)
}

// Repr returns the value as repr(v) writes it, with texts in quotes.
func Repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return v.String()
	case float64:
		return pyfloat.Repr(v)
	case string:
		return quoteText(v)
	case []any:
		return listText(v, Repr)
	case *Dict:
		return dictText(v, Repr)
	}
	return fmt.Sprint(v)
}

// listText returns a list in Python's form; text returns an item in that form.
func listText(items []any, text func(any) string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = text(item)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// dictText returns an object in Python's form; text returns a value in that form.
func dictText(d *Dict, text func(any) string) string {
	parts := make([]string, len(d.keys))
	for i, key := range d.keys {
		parts[i] = text(key) + ": " + text(d.values[key])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// quoteText returns a text in quotes, as Python writes it inside a list.
func quoteText(s string) string {
	mark := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	out := []byte{mark}
	for r := range eachCharacter(s) {
		switch {
		case r == rune(mark) || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r == '\t':
			out = append(out, `\t`...)
		case unicode.IsPrint(r):
			out = utf8.AppendRune(out, r)
		case r < 0x100:
			out = fmt.Appendf(out, `\x%02x`, r)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\U%08x`, r)
		}
	}
	return string(append(out, mark))
}

// eachCharacter returns an iterator over the characters of a text, including halves of surrogate pairs.
func eachCharacter(s string) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		for i := 0; i < len(s); {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 && i+2 < len(s) && s[i] == 0xed {
				if half := 0xd000 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f); utf16.IsSurrogate(half) {
					r, n = half, 3
				}
			}
			if !yield(r) {
				return
			}
			i += n
		}
	}
}

// JSON returns the value as json.dumps writes it, in ASCII.
func JSON(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strings.NewReplacer("nan", "NaN", "inf", "Infinity").Replace(pyfloat.Repr(v))
	case string:
		return jsonString(v)
	case []any:
		return listText(v, JSON)
	case *Dict:
		return dictText(v, JSON)
	}
	return Repr(v)
}

func jsonString(s string) string {
	out := []byte{'"'}
	for r := range eachCharacter(s) {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case strings.ContainsRune("\b\f\n\r\t", r):
			out = append(out, '\\', "btn-fr"[r-'\b'])
		case r < 0x20 || r >= 0x7f && r < 0x10000 && r != 0x7f:
			out = fmt.Appendf(out, `\u%04x`, r)
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = append(out, byte(r))
		}
	}
	return string(append(out, '"'))
}
