package jinja

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

var globals map[string]callable

func init() {
	globals = map[string]callable{
		"range": makeRange, "dict": makeDict, "namespace": makeNamespace,
		"raise_exception": func(r *rendering, a callArguments) any {
			panic(&RaisedError{r.toText(a.bindParameters("raise_exception", "message")[0])})
		},
		"strftime_now": func(r *rendering, a callArguments) any {
			return strftime(requireText("strftime_now", a.bindParameters("strftime_now", "format")[0]), r)
		},
	}
}

func makeRange(r *rendering, a callArguments) any {
	if len(a.named) > 0 || len(a.positional) < 1 || len(a.positional) > 3 {
		failf("range takes one to three numbers")
	}
	parts := []int{0, 0, 1}
	for i, v := range a.positional {
		parts[i] = requireInt("range", v)
	}
	if len(a.positional) == 1 {
		parts[0], parts[1] = 0, parts[0]
	}
	if parts[2] == 0 {
		failf("the step of a range is 0")
	}
	var out []any
	for i := parts[0]; parts[2] > 0 && i < parts[1] || parts[2] < 0 && i > parts[1]; i += parts[2] {
		if len(out) == maxRange {
			failf("a range of more than %d numbers", maxRange)
		}
		out = append(out, int64(i))
	}
	r.chargeBytes(16 * len(out))
	return out
}

// namedArguments returns the named arguments, and those in a dict.
func namedArguments(of string, a callArguments) map[string]any {
	out := map[string]any{}
	if len(a.positional) > 1 {
		failf("%s takes one argument by place", of)
	}
	for _, v := range a.positional {
		d, ok := v.(*pyvalue.Dict)
		if !ok {
			failf("%s wants a dict, found %s", of, typeName(v))
		}
		for _, key := range d.Keys() {
			out[key], _ = d.Get(key)
		}
	}
	for name, v := range a.named {
		out[name] = v
	}
	return out
}

func makeDict(_ *rendering, a callArguments) any {
	if len(a.named) > 1 || len(a.positional) > 0 {
		failf("dict with several names, or with a list, is not supported: want {...}")
	}
	d := pyvalue.NewDict()
	for name, v := range a.named {
		d.Set(name, v)
	}
	return d
}

func makeNamespace(_ *rendering, a callArguments) any {
	return &namespace{namedArguments("namespace", a)}
}

// formatPercent formats "text" % values, with %s, %d and %%.
func (r *rendering) formatPercent(text string, v any) any {
	values, ok := v.(tuple)
	if !ok {
		values = tuple{v}
	}
	var parts []string
	used := 0
	for text != "" {
		i := strings.IndexByte(text, '%')
		if i < 0 || i+1 == len(text) {
			parts = append(parts, text)
			break
		}
		parts = append(parts, text[:i])
		c := text[i+1]
		text = text[i+2:]
		if c == '%' {
			parts = append(parts, "%")
			continue
		}
		if c != 's' && c != 'd' || used == len(values) {
			failf("%%%c in a text with values is not supported, or has no value", c)
		}
		if _, ok := values[used].(int64); c == 'd' && !ok {
			failf("%%d wants a whole number, found %s", typeName(values[used]))
		}
		parts = append(parts, r.toText(values[used]))
		used++
	}
	if used < len(values) {
		failf("a text with %% leaves values over")
	}
	return r.joinCharged(parts, "")
}

// dateLayouts maps strftime's letters to Go's layouts.
var dateLayouts = map[byte]string{'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'd': "02", 'm': "01",
	'y': "06",
	'Y': "2006", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'F': "2006-01-02", 'T': "15:04:05", 'j': "002",
	'Z': "", 'z': ""}

func strftime(format string, r *rendering) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		layout, known := dateLayouts[format[i]]
		switch {
		case format[i] == '%':
			out.WriteByte('%')
		case format[i] == '-' && i+1 < len(format) && strings.IndexByte("dmHIMS", format[i+1]) >= 0:
			i++
			text := strings.TrimLeft(r.now.Format(dateLayouts[format[i]]), "0")
			if text == "" {
				text = "0"
			}
			out.WriteString(text)
		case known:
			out.WriteString(r.now.Format(layout))
		default:
			failf("strftime_now: %%%c is not supported", format[i])
		}
	}
	return out.String()
}

// jsonEncoder encodes values for tojson.
type jsonEncoder struct {
	r              *rendering
	ascii, sort    bool
	indent         string
	indented       bool
	between, colon string
}

func toJSON(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("tojson", "ensure_ascii", "indent", "separators", "sort_keys")
	f := jsonEncoder{r: r, ascii: isTrue(argumentOr(p[0], false)), sort: isTrue(argumentOr(p[3], false)), between: ", ",
		colon: ": "}
	switch by := argumentOr(p[1], nil).(type) {
	case nil:
	case string:
		f.indented, f.indent, f.between = true, by, ","
	default:
		n := min(max(0, requireInt("tojson", by)), 1000)
		f.indented, f.indent, f.between = true, strings.Repeat(" ", n), ","
	}
	if s, ok := sequenceItems(argumentOr(p[2], nil)); ok && len(s) == 2 {
		f.between, f.colon = requireText("tojson", s[0]), requireText("tojson", s[1])
	}
	return f.value(v, "\n")
}

// value returns a value as JSON. line is the line break and indent of its depth.
func (f jsonEncoder) value(v any, line string) string {
	f.r.countStep()
	defer f.r.enterNested()()
	inner := line + f.indent
	switch v := v.(type) {
	case string:
		return f.text(v)
	case []any, tuple:
		all, _ := sequenceItems(v)
		parts := make([]string, len(all))
		for i, one := range all {
			parts[i] = f.value(one, inner)
		}
		return f.wrapParts("[", parts, "]", line)
	case *pyvalue.Dict:
		keys := v.Keys()
		if f.sort {
			keys = slices.Sorted(slices.Values(keys))
		}
		parts := make([]string, len(keys))
		for i, key := range keys {
			one, _ := v.Get(key)
			parts[i] = f.text(key) + f.colon + f.value(one, inner)
		}
		return f.wrapParts("{", parts, "}", line)
	case nil, bool, int64, *big.Int, float64:
		return pyvalue.JSON(v)
	}
	failf("%s cannot be written as JSON", typeName(v))
	return ""
}

func (f jsonEncoder) wrapParts(open string, parts []string, end, line string) string {
	if len(parts) == 0 {
		return open + end
	}
	between := f.between
	if f.indented {
		between += line + f.indent
		open, end = open+line+f.indent, line+end
	}
	return f.r.joinCharged([]string{open, f.r.joinCharged(parts, between), end}, "")
}

func (f jsonEncoder) text(s string) string {
	f.r.chargeBytes(len(s))
	if f.ascii {
		return pyvalue.JSON(s)
	}
	out := []byte{'"'}
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch j := strings.IndexRune("\b\f\n\r\t\"\\", c); {
		case j >= 0 && c != utf8.RuneError:
			out = append(out, '\\', "bfnrt\"\\"[j])
		case c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, s[i:i+n]...)
		}
		i += n
	}
	return string(append(out, '"'))
}
