package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// methodOf is a method of a text, a dict or a list.
func methodOf(v any, name string) (function, bool) {
	switch v := v.(type) {
	case string:
		if m, ok := textMethods[name]; ok {
			return func(r *run, a given) any {
				r.work(v)
				return m(r, v, a)
			}, true
		}
	case *pyvalue.Dict:
		if m, ok := dictMethods[name]; ok {
			return func(r *run, a given) any { return m(r, v, a) }, true
		}
	case []any:
		switch name {
		case "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort":
			fail("%s would change a list: the sandbox does not let it", name)
		case "index", "count":
			return func(r *run, a given) any { return search(r, v, name, a) }, true
		}
	}
	return nil, false
}

func search(r *run, all []any, name string, a given) any {
	wanted, found := a.take(name, "value")[0], int64(0)
	for i, one := range all {
		if r.step(); r.same(one, wanted) {
			if name == "index" {
				return int64(i)
			}
			found++
		}
	}
	if name == "index" {
		fail("%s is not in the list", r.repr(wanted))
	}
	return found
}

type textMethod func(r *run, s string, a given) any

var textMethods map[string]textMethod

// plain are methods without arguments.
func plain(f func(string) string) textMethod {
	return func(r *run, s string, a given) any {
		a.take("a method of texts")
		r.charge(len(s))
		return f(s)
	}
}

// about are methods that tell something of a text's letters, none of which may be missing.
func about(is func(rune) bool) textMethod {
	return func(_ *run, s string, a given) any {
		a.take("a method of texts")
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0
	}
}

func init() {
	textMethods = map[string]textMethod{
		"upper": plain(strings.ToUpper), "lower": plain(pyvalue.Lower), "title": plain(title),
		"capitalize": plain(capitalize),
		"isdigit":    about(unicode.IsDigit), "isalpha": about(unicode.IsLetter), "isspace": about(pyfloat.IsSpace),
		"isalnum": about(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }),
		"strip": func(_ *run, s string, a given) any {
			return stripRight(stripLeft(s, a), a)
		},
		"lstrip":     func(_ *run, s string, a given) any { return stripLeft(s, a) },
		"rstrip":     func(_ *run, s string, a given) any { return stripRight(s, a) },
		"startswith": func(_ *run, s string, a given) any { return affixed(s, a, strings.HasPrefix) },
		"endswith":   func(_ *run, s string, a given) any { return affixed(s, a, strings.HasSuffix) },
		"removeprefix": func(_ *run, s string, a given) any {
			return strings.TrimPrefix(s, textOf("removeprefix", a.take("removeprefix", "prefix")[0]))
		},
		"removesuffix": func(_ *run, s string, a given) any {
			return strings.TrimSuffix(s, textOf("removesuffix", a.take("removesuffix", "suffix")[0]))
		},
		"replace": replace, "split": split, "rsplit": rsplit, "splitlines": splitLines, "join": joinTexts, "format": format,
		"find": func(_ *run, s string, a given) any {
			return placeOf(s, strings.Index(s, textOf("find", a.take("find", "text")[0])))
		},
		"rfind": func(_ *run, s string, a given) any {
			return placeOf(s, strings.LastIndex(s, textOf("rfind", a.take("rfind", "text")[0])))
		},
		"count": func(_ *run, s string, a given) any {
			return int64(strings.Count(s, textOf("count", a.take("count", "text")[0])))
		},
	}
}

// placeOf is the place of a byte in characters.
func placeOf(s string, i int) any {
	if i < 0 {
		return int64(-1)
	}
	return int64(utf8.RuneCountInString(s[:i]))
}

func title(s string) string {
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

// strips are the letters that a strip takes away.
func strips(a given) func(rune) bool {
	switch set := or(a.take("strip", "chars")[0], nil).(type) {
	case nil:
		return pyfloat.IsSpace
	case string:
		return func(c rune) bool { return strings.ContainsRune(set, c) }
	default:
		fail("strip wants a text, found %s", typeName(set))
		return nil
	}
}

func stripLeft(s string, a given) string  { return strings.TrimLeftFunc(s, strips(a)) }
func stripRight(s string, a given) string { return strings.TrimRightFunc(s, strips(a)) }

func affixed(s string, a given, has func(s, affix string) bool) any {
	switch affix := a.take("startswith", "text")[0].(type) {
	case string:
		return has(s, affix)
	case tuple:
		for _, one := range affix {
			if has(s, textOf("startswith", one)) {
				return true
			}
		}
		return false
	default:
		fail("startswith and endswith want a text, found %s", typeName(affix))
		return nil
	}
}

func replace(r *run, s string, a given) any {
	p := a.take("replace", "old", "new", "count")
	from, to, n := textOf("replace", p[0]), textOf("replace", p[1]), wholeOf("replace", or(p[2], int64(-1)))
	times := strings.Count(s, from)
	if n >= 0 {
		times = min(times, n)
	}
	r.charge(len(s))
	if len(to) > 0 && times > maxBytes/len(to) {
		r.charge(maxBytes + 1)
	}
	r.charge(times * len(to))
	return strings.Replace(s, from, to, n)
}

// pieces are texts as a list.
func (r *run) pieces(parts []string) []any {
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
	}
	r.charge(16 * len(out))
	return out
}

func split(r *run, s string, a given) any {
	p := a.take("split", "sep", "maxsplit")
	n := wholeOf("split", or(p[1], int64(-1)))
	if or(p[0], nil) != nil {
		between := textOf("split", p[0])
		if between == "" {
			fail("split by an empty text")
		}
		if n < 0 {
			return r.pieces(strings.Split(s, between))
		}
		return r.pieces(strings.SplitN(s, between, n+1))
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
	return r.pieces(parts)
}

func rsplit(r *run, s string, a given) any {
	p := a.take("rsplit", "sep", "maxsplit")
	n := wholeOf("rsplit", or(p[1], int64(-1)))
	if or(p[0], nil) == nil || n < 0 {
		if n >= 0 {
			fail("rsplit at blanks with a number is not supported")
		}
		return split(r, s, a)
	}
	parts, between := []string{}, textOf("rsplit", p[0])
	if between == "" {
		fail("rsplit by an empty text")
	}
	for ; n > 0; n-- {
		i := strings.LastIndex(s, between)
		if i < 0 {
			break
		}
		parts, s = append([]string{s[i+len(between):]}, parts...), s[:i]
	}
	return r.pieces(append([]string{s}, parts...))
}

func splitLines(r *run, s string, a given) any {
	keep := truth(or(a.take("splitlines", "keepends")[0], false))
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
	return r.pieces(parts)
}

func joinTexts(r *run, s string, a given) any {
	var parts []string
	for _, v := range r.items(a.take("join", "iterable")[0]) {
		parts = append(parts, textOf("join", v))
	}
	return r.join(parts, s)
}

// format is str.format with fields that have no format of their own: {}, {0} and {name}.
func format(r *run, s string, a given) any {
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
			fail("format: a brace stands alone")
		}
		parts, s = append(parts, r.str(formatted(s[1:end], &next, a))), s[end+1:]
	}
	return r.join(parts, "")
}

// formatted is the argument of a field.
func formatted(field string, next *int, a given) any {
	if strings.ContainsAny(field, ":!.[") {
		fail("format: the field {%s} is not supported, want {}, {0} or {name}", field)
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
				fail("format: there is no %s", field)
			}
			i = 10*i + int(c-'0')
		}
	}
	if i >= len(a.places) {
		fail("format: there is no argument %d", i)
	}
	return a.places[i]
}

var dictMethods = map[string]func(r *run, d *pyvalue.Dict, a given) any{
	"get": func(_ *run, d *pyvalue.Dict, a given) any {
		p := a.take("get", "key", "default")
		if key, ok := p[0].(string); ok {
			if v, ok := d.Get(key); ok {
				return v
			}
		}
		return or(p[1], nil)
	},
	"items": func(r *run, d *pyvalue.Dict, a given) any {
		a.take("items")
		return []any(pairs(r, d))
	},
	"keys": func(r *run, d *pyvalue.Dict, a given) any {
		a.take("keys")
		return r.items(d)
	},
	"values": func(r *run, d *pyvalue.Dict, a given) any {
		a.take("values")
		all := make([]any, len(d.Keys()))
		for i, key := range d.Keys() {
			all[i], _ = d.Get(key)
		}
		r.charge(16 * len(all))
		return all
	},
	"pop": changing, "update": changing, "clear": changing, "setdefault": changing, "popitem": changing,
}

func changing(*run, *pyvalue.Dict, given) any {
	fail("the call would change a dict: the sandbox does not let it")
	return nil
}

// pairs are the keys of a dict with their values.
func pairs(r *run, d *pyvalue.Dict) stream {
	all := make(stream, len(d.Keys()))
	for i, key := range d.Keys() {
		v, _ := d.Get(key)
		all[i] = tuple{key, v}
	}
	r.charge(48 * len(all))
	return all
}
