package pyvalue

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// Text is the value as str(v) writes it.
func Text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return repr(v)
}

func repr(v any) string {
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
		return quote(v)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = repr(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *Dict:
		parts := make([]string, len(v.keys))
		for i, key := range v.keys {
			parts[i] = quote(key) + ": " + repr(v.values[key])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v)
}

// quote is a text as Python writes it inside of lists.
func quote(s string) string {
	mark := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	out := []byte{mark}
	for _, r := range s {
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

// JSON is the value as json.dumps writes it, in ASCII.
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
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = JSON(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *Dict:
		parts := make([]string, len(v.keys))
		for i, key := range v.keys {
			parts[i] = jsonString(key) + ": " + JSON(v.values[key])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return repr(v)
}

func jsonString(s string) string {
	out := []byte{'"'}
	for _, r := range s {
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
