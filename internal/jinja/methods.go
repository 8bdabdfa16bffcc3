package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// lookupMethod returns a method of a text, a dict or a list.
func lookupMethod(v any, name string) (callable, bool) {
	switch v := v.(type) {
	case string:
		if m, ok := textMethods[name]; ok {
			return func(r *rendering, a callArguments) any {
				r.countWork(v)
				return m(r, v, a)
			}, true
		}
	case *pyvalue.Dict:
		if m, ok := dictMethods[name]; ok {
			return func(r *rendering, a callArguments) any { return m(r, v, a) }, true
		}
	case []any:
		switch name {
		case "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort":
			failf("%s would change a list: the sandbox does not let it", name)
		case "index", "count":
			return func(r *rendering, a callArguments) any { return findMethod(r, v, name, a) }, true
		}
	}
	return nil, false
}

func findMethod(r *rendering, all []any, name string, a callArguments) any {
	wanted, found := a.bindParameters(name, "value")[0], int64(0)
	for i, one := range all {
		if r.countStep(); r.equalValues(one, wanted) {
			if name == "index" {
				return int64(i)
			}
			found++
		}
	}
	if name == "index" {
		failf("%s is not in the list", r.toRepr(wanted))
	}
	return found
}

type textMethod func(r *rendering, s string, a callArguments) any

var textMethods map[string]textMethod

// newTextMethod returns a method without arguments.
func newTextMethod(f func(string) string) textMethod {
	return func(r *rendering, s string, a callArguments) any {
		a.bindParameters("a method of texts")
		r.chargeBytes(len(s))
		return f(s)
	}
}

// newLetterTest returns a method that tests all letters of a text. It is false for an empty text.
func newLetterTest(is func(rune) bool) textMethod {
	return func(_ *rendering, s string, a callArguments) any {
		a.bindParameters("a method of texts")
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0
	}
}

func init() {
	textMethods = map[string]textMethod{
		"upper": newTextMethod(strings.ToUpper), "lower": newTextMethod(pyvalue.Lower), "title": newTextMethod(titleCase),
		"capitalize": newTextMethod(capitalize),
		"isdigit":    newLetterTest(unicode.IsDigit), "isalpha": newLetterTest(unicode.IsLetter),
		"isspace": newLetterTest(pyfloat.IsSpace),
		"isalnum": newLetterTest(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }),
		"strip": func(_ *rendering, s string, a callArguments) any {
			return stripRight(stripLeft(s, a), a)
		},
		"lstrip":     func(_ *rendering, s string, a callArguments) any { return stripLeft(s, a) },
		"rstrip":     func(_ *rendering, s string, a callArguments) any { return stripRight(s, a) },
		"startswith": func(_ *rendering, s string, a callArguments) any { return hasAffix(s, a, strings.HasPrefix) },
		"endswith":   func(_ *rendering, s string, a callArguments) any { return hasAffix(s, a, strings.HasSuffix) },
		"removeprefix": func(_ *rendering, s string, a callArguments) any {
			return strings.TrimPrefix(s, requireText("removeprefix", a.bindParameters("removeprefix", "prefix")[0]))
		},
		"removesuffix": func(_ *rendering, s string, a callArguments) any {
			return strings.TrimSuffix(s, requireText("removesuffix", a.bindParameters("removesuffix", "suffix")[0]))
		},
		"replace": replaceMethod, "split": splitMethod, "rsplit": rsplitMethod, "splitlines": splitLines, "join": joinTexts,
		"format": formatMethod,
		"find": func(_ *rendering, s string, a callArguments) any {
			return characterIndex(s, strings.Index(s, requireText("find", a.bindParameters("find", "text")[0])))
		},
		"rfind": func(_ *rendering, s string, a callArguments) any {
			return characterIndex(s, strings.LastIndex(s, requireText("rfind", a.bindParameters("rfind", "text")[0])))
		},
		"count": func(_ *rendering, s string, a callArguments) any {
			return int64(strings.Count(s, requireText("count", a.bindParameters("count", "text")[0])))
		},
	}
}

// characterIndex converts a byte index to a character index.
func characterIndex(s string, i int) any {
	if i < 0 {
		return int64(-1)
	}
	return int64(utf8.RuneCountInString(s[:i]))
}

func titleCase(s string) string {
	after := false
	return strings.Map(func(c rune) rune {
		was := after
		if after = unicode.IsLetter(c); was {
			return unicode.ToLower(c)
		}
		return unicode.ToTitle(c)
	}, s)
}

func capitalize(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToTitle(s[:n]) + pyvalue.Lower(s[n:])
}

// stripSet returns a function that matches the characters to strip.
func stripSet(a callArguments) func(rune) bool {
	switch set := argumentOr(a.bindParameters("strip", "chars")[0], nil).(type) {
	case nil:
		return pyfloat.IsSpace
	case string:
		return func(c rune) bool { return strings.ContainsRune(set, c) }
	default:
		failf("strip wants a text, found %s", typeName(set))
		return nil
	}
}

func stripLeft(s string, a callArguments) string  { return strings.TrimLeftFunc(s, stripSet(a)) }
func stripRight(s string, a callArguments) string { return strings.TrimRightFunc(s, stripSet(a)) }

func hasAffix(s string, a callArguments, has func(s, affix string) bool) any {
	switch affix := a.bindParameters("startswith", "text")[0].(type) {
	case string:
		return has(s, affix)
	case tuple:
		for _, one := range affix {
			if has(s, requireText("startswith", one)) {
				return true
			}
		}
		return false
	default:
		failf("startswith and endswith want a text, found %s", typeName(affix))
		return nil
	}
}

func replaceMethod(r *rendering, s string, a callArguments) any {
	p := a.bindParameters("replace", "old", "new", "count")
	from, to, n := requireText("replace", p[0]), requireText("replace", p[1]), requireInt("replace", argumentOr(p[2],
		int64(-1)))
	times := strings.Count(s, from)
	if n >= 0 {
		times = min(times, n)
	}
	r.chargeBytes(len(s))
	if len(to) > 0 && times > maxBytes/len(to) {
		r.chargeBytes(maxBytes + 1)
	}
	r.chargeBytes(times * len(to))
	return strings.Replace(s, from, to, n)
}

// textsToList converts texts to a list.
func (r *rendering) textsToList(parts []string) []any {
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	r.chargeBytes(16 * len(out))
	return out
}

func splitMethod(r *rendering, s string, a callArguments) any {
	p := a.bindParameters("split", "sep", "maxsplit")
	n := requireInt("split", argumentOr(p[1], int64(-1)))
	if argumentOr(p[0], nil) != nil {
		between := requireText("split", p[0])
		if between == "" {
			failf("split by an empty text")
		}
		if n < 0 {
			return r.textsToList(strings.Split(s, between))
		}
		return r.textsToList(strings.SplitN(s, between, n+1))
	}
	var parts []string
	for rest := strings.TrimLeftFunc(s, pyfloat.IsSpace); rest != ""; rest = strings.TrimLeftFunc(rest, pyfloat.IsSpace) {
		i := strings.IndexFunc(rest, pyfloat.IsSpace)
		if i < 0 || n >= 0 && len(parts) == n {
			if n >= 0 && len(parts) == n {
				rest = strings.TrimRightFunc(rest, pyfloat.IsSpace)
			}
			parts = append(parts, rest)
			break
		}
		parts, rest = append(parts, rest[:i]), rest[i:]
	}
	return r.textsToList(parts)
}

func rsplitMethod(r *rendering, s string, a callArguments) any {
	p := a.bindParameters("rsplit", "sep", "maxsplit")
	n := requireInt("rsplit", argumentOr(p[1], int64(-1)))
	if argumentOr(p[0], nil) == nil || n < 0 {
		if n >= 0 {
			failf("rsplit at blanks with a number is not supported")
		}
		return splitMethod(r, s, a)
	}
	parts, between := []string{}, requireText("rsplit", p[0])
	if between == "" {
		failf("rsplit by an empty text")
	}
	for ; n > 0; n-- {
		i := strings.LastIndex(s, between)
		if i < 0 {
			break
		}
		parts, s = append([]string{s[i+len(between):]}, parts...), s[:i]
	}
	return r.textsToList(append([]string{s}, parts...))
}

func splitLines(r *rendering, s string, a callArguments) any {
	keep := isTrue(argumentOr(a.bindParameters("splitlines", "keepends")[0], false))
	var parts []string
	for s != "" {
		i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			parts = append(parts, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		if keep {
			parts = append(parts, s[:i+n])
		} else {
			parts = append(parts, s[:i])
		}
		s = s[i+n:]
	}
	return r.textsToList(parts)
}

func joinTexts(r *rendering, s string, a callArguments) any {
	var parts []string
	for _, v := range r.iterateValues(a.bindParameters("join", "iterable")[0]) {
		parts = append(parts, requireText("join", v))
	}
	return r.joinCharged(parts, s)
}

// formatMethod is str.format. It supports only fields without a format: {}, {0} and {name}.
func formatMethod(r *rendering, s string, a callArguments) any {
	var parts []string
	next := 0
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			parts = append(parts, s)
			break
		}
		parts, s = append(parts, s[:i]), s[i:]
		if strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "}}") {
			parts, s = append(parts, s[:1]), s[2:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if s[0] == '}' || end < 0 {
			failf("format: a brace stands alone")
		}
		parts, s = append(parts, r.toText(formatField(s[1:end], &next, a))), s[end+1:]
	}
	return r.joinCharged(parts, "")
}

// formatField returns the argument of a field.
func formatField(field string, next *int, a callArguments) any {
	if strings.ContainsAny(field, ":!.[") {
		failf("format: the field {%s} is not supported, want {}, {0} or {name}", field)
	}
	i := *next
	if v, ok := a.named[field]; ok {
		return v
	}
	if field == "" {
		*next++
	} else {
		i = 0
		for _, c := range field {
			if c < '0' || c > '9' || i > 1000 {
				failf("format: there is no %s", field)
			}
			i = 10*i + int(c-'0')
		}
	}
	if i >= len(a.positional) {
		failf("format: there is no argument %d", i)
	}
	return a.positional[i]
}

var dictMethods = map[string]func(r *rendering, d *pyvalue.Dict, a callArguments) any{
	"get": func(_ *rendering, d *pyvalue.Dict, a callArguments) any {
		p := a.bindParameters("get", "key", "default")
		if key, ok := p[0].(string); ok {
			if v, ok := d.Get(key); ok {
				return v
			}
		}
		return argumentOr(p[1], nil)
	},
	"items": func(r *rendering, d *pyvalue.Dict, a callArguments) any {
		a.bindParameters("items")
		return []any(dictItems(r, d))
	},
	"keys": func(r *rendering, d *pyvalue.Dict, a callArguments) any {
		a.bindParameters("keys")
		return r.iterateValues(d)
	},
	"values": func(r *rendering, d *pyvalue.Dict, a callArguments) any {
		a.bindParameters("values")
		all := make([]any, len(d.Keys()))
		for i, key := range d.Keys() {
			all[i], _ = d.Get(key)
		}
		r.chargeBytes(16 * len(all))
		return all
	},
	"pop": refuseMutation, "update": refuseMutation, "clear": refuseMutation, "setdefault": refuseMutation,
	"popitem": refuseMutation,
}

func refuseMutation(*rendering, *pyvalue.Dict, callArguments) any {
	failf("the call would change a dict: the sandbox does not let it")
	return nil
}

// dictItems returns the pairs of keys and values of a dict.
func dictItems(r *rendering, d *pyvalue.Dict) stream {
	all := make(stream, len(d.Keys()))
	for i, key := range d.Keys() {
		v, _ := d.Get(key)
		all[i] = tuple{key, v}
	}
	r.chargeBytes(48 * len(all))
	return all
}
