package jinja

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

type filter func(r *run, v any, a given) any

var filters map[string]filter

func init() {
	filters = map[string]filter{
		"tojson": toJSON, "trim": trim, "length": count, "count": count, "default": otherwise, "d": otherwise,
		"string": func(r *run, v any, a given) any { a.take("string"); return r.str(v) },
		"safe":   func(r *run, v any, a given) any { a.take("safe"); return markup(r.str(v)) },
		"upper":  ofText(strings.ToUpper), "lower": ofText(pyvalue.Lower), "title": ofText(title),
		"capitalize": ofText(capitalize),
		"items":      items, "dictsort": dictSort, "join": join, "replace": replaced, "indent": indent,
		"list":  func(r *run, v any, a given) any { a.take("list"); return slices.Clone(r.items(v)) },
		"first": func(r *run, v any, a given) any { a.take("first"); return r.end(v, true) },
		"last":  func(r *run, v any, a given) any { a.take("last"); return r.end(v, false) },
		"int":   whole, "float": float, "abs": absolute, "map": mapped, "unique": unique, "reverse": reversed, "sort": sorted,
		"min":        func(r *run, v any, a given) any { return r.extreme("min", v, a, -1) },
		"max":        func(r *run, v any, a given) any { return r.extreme("max", v, a, 1) },
		"select":     func(r *run, v any, a given) any { return r.choose("select", v, a, false, true) },
		"reject":     func(r *run, v any, a given) any { return r.choose("reject", v, a, false, false) },
		"selectattr": func(r *run, v any, a given) any { return r.choose("selectattr", v, a, true, true) },
		"rejectattr": func(r *run, v any, a given) any { return r.choose("rejectattr", v, a, true, false) },
	}
}

func ofText(f func(string) string) filter {
	return func(r *run, v any, a given) any {
		a.take("the filter")
		s := r.str(v)
		r.charge(len(s))
		return f(s)
	}
}

func trim(r *run, v any, a given) any {
	s := r.str(v)
	return stripRight(stripLeft(s, a), a)
}

func count(_ *run, v any, a given) any {
	a.take("length")
	return int64(length(v))
}

func otherwise(_ *run, v any, a given) any {
	p := a.take("default", "default_value", "boolean")
	_, none := v.(*undefined)
	if none || truth(or(p[1], false)) && !truth(v) {
		return or(p[0], "")
	}
	return v
}

func items(r *run, v any, a given) any {
	a.take("items")
	switch v := v.(type) {
	case *undefined:
		return stream{}
	case *pyvalue.Dict:
		return pairs(r, v)
	}
	fail("items wants a dict, found %s", typeName(v))
	return nil
}

// before orders values as filters do: texts without regard to case, unless it counts.
func (r *run) before(a, b any, cased bool) int {
	r.step()
	s, ok1 := a.(string)
	t, ok2 := b.(string)
	if ok1 && ok2 && !cased {
		a, b = pyvalue.Lower(s), pyvalue.Lower(t)
	}
	switch {
	case less(a, b):
		return -1
	case less(b, a):
		return 1
	}
	return 0
}

func dictSort(r *run, v any, a given) any {
	p := a.take("dictsort", "case_sensitive", "by", "reverse")
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		fail("dictsort wants a dict, found %s", typeName(v))
	}
	part := map[any]int{"key": 0, "value": 1}
	i, ok := part[or(p[1], "key")]
	if !ok {
		fail(`dictsort is by "key" or "value"`)
	}
	all, cased := []any(pairs(r, d)), truth(or(p[0], false))
	slices.SortStableFunc(all, func(a, b any) int {
		x, y := a.(tuple)[i], b.(tuple)[i]
		if truth(or(p[2], false)) {
			x, y = y, x
		}
		return r.before(x, y, cased)
	})
	return all
}

func sorted(r *run, v any, a given) any {
	p := a.take("sort", "reverse", "case_sensitive", "attribute")
	all, cased := slices.Clone(r.items(v)), truth(or(p[1], false))
	key := func(v any) any {
		if name := or(p[2], nil); name != nil {
			return r.part(v, textOf("sort", name))
		}
		return v
	}
	slices.SortStableFunc(all, func(a, b any) int {
		if truth(or(p[0], false)) {
			a, b = b, a
		}
		return r.before(key(a), key(b), cased)
	})
	return all
}

func join(r *run, v any, a given) any {
	p := a.take("join", "d", "attribute")
	var parts []string
	for _, one := range r.items(v) {
		if name := or(p[1], nil); name != nil {
			one = r.part(one, textOf("join", name))
		}
		parts = append(parts, r.str(one))
	}
	return r.join(parts, r.str(or(p[0], "")))
}

// part is an attribute of a value, or of its attributes: a.b, with numbers for items.
func (r *run) part(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		if i, err := strconv.ParseInt(name, 10, 32); err == nil {
			v = r.itemOf(v, i)
			continue
		}
		v = r.itemOf(v, name)
	}
	return v
}

func replaced(r *run, v any, a given) any {
	p := a.take("replace", "old", "new", "count")
	n := or(p[2], nil)
	if n == nil {
		n = int64(-1)
	}
	return replace(r, r.str(v), given{places: []any{r.str(p[0]), r.str(p[1]), n}})
}

func indent(r *run, v any, a given) any {
	p := a.take("indent", "width", "first", "blank")
	by, ok := or(p[0], int64(4)).(string)
	if !ok {
		n := wholeOf("indent", or(p[0], int64(4)))
		if r.charge(max(0, n)); n > 0 {
			by = strings.Repeat(" ", n)
		}
	}
	lines := strings.Split(strings.ReplaceAll(r.str(v), "\r\n", "\n"), "\n")
	for i, line := range lines {
		if i == 0 && !truth(or(p[1], false)) || i > 0 && line == "" && !truth(or(p[2], false)) {
			continue
		}
		r.charge(len(by))
		lines[i] = by + line
	}
	return r.join(lines, "\n")
}

func (r *run) end(v any, first bool) any {
	all := r.items(v)
	switch {
	case len(all) == 0:
		return &undefined{"an item of an empty list"}
	case first:
		return all[0]
	}
	return all[len(all)-1]
}

func whole(_ *run, v any, a given) any {
	p := a.take("int", "default", "base")
	switch v := v.(type) {
	case string:
		text := strings.ReplaceAll(strings.TrimFunc(v, pyfloat.IsSpace), "_", "")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if f, ok := pyfloat.Parse(v); ok && math.Abs(f) < 1<<53 {
			return int64(f)
		}
	case float64:
		if math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case bool, int64:
		return int64(wholeOf("int", v))
	}
	return or(p[0], int64(0))
}

func float(_ *run, v any, a given) any {
	p := a.take("float", "default")
	if f, ok := number(v); ok {
		return f
	}
	if s, ok := v.(string); ok {
		if f, ok := pyfloat.Parse(s); ok {
			return f
		}
	}
	return or(p[0], 0.0)
}

func absolute(_ *run, v any, a given) any {
	a.take("abs")
	if n, ok := v.(int64); ok && n != math.MinInt64 {
		return max(n, -n)
	}
	f, ok := number(v)
	if !ok {
		fail("abs wants a number, found %s", typeName(v))
	}
	return math.Abs(f)
}

func mapped(r *run, v any, a given) any {
	out := stream{}
	name, byName := a.named["attribute"]
	fallback, hasFallback := a.named["default"]
	if !byName && len(a.places) == 0 {
		fail("map wants a filter or an attribute")
	}
	if !truth(v) {
		return out
	}
	for _, one := range r.items(v) {
		r.step()
		if byName {
			one = r.part(one, r.str(name))
			if _, none := one.(*undefined); none && hasFallback {
				one = fallback
			}
		} else {
			f, ok := filters[textOf("map", a.places[0])]
			if !ok {
				fail("no filter is named %q", a.places[0])
			}
			one = f(r, one, given{a.places[1:], a.named})
		}
		out = append(out, one)
	}
	return out
}

// choose leaves the items that a test holds for, or does not.
func (r *run) choose(of string, v any, a given, byAttribute, holds bool) any {
	out, places := stream{}, a.places
	path := ""
	if byAttribute {
		if len(places) == 0 {
			fail("%s wants an attribute", of)
		}
		path, places = r.str(places[0]), places[1:]
	}
	if !truth(v) {
		return out
	}
	for _, one := range r.items(v) {
		r.step()
		tested, ok := one, false
		if byAttribute {
			tested = r.part(one, path)
		}
		if len(places) == 0 {
			ok = truth(tested)
		} else {
			ok = r.test(textOf(of, places[0]), tested, given{places[1:], a.named})
		}
		if ok == holds {
			out = append(out, one)
		}
	}
	return out
}

// extreme is the least or the greatest item, the first of several.
func (r *run) extreme(of string, v any, a given, sign int) any {
	p := a.take(of, "case_sensitive", "attribute")
	if or(p[1], nil) != nil {
		fail("%s with an attribute is not supported", of)
	}
	all := r.items(v)
	if len(all) == 0 {
		return &undefined{"an item of an empty list"}
	}
	best := all[0]
	for _, one := range all[1:] {
		if sign*r.before(one, best, truth(or(p[0], false))) > 0 {
			best = one
		}
	}
	return best
}

func unique(r *run, v any, a given) any {
	p := a.take("unique", "case_sensitive", "attribute")
	out, seen := stream{}, []any{}
	for _, one := range r.items(v) {
		key := one
		if name := or(p[1], nil); name != nil {
			key = r.part(one, textOf("unique", name))
		}
		if s, ok := key.(string); ok && !truth(or(p[0], false)) {
			key = pyvalue.Lower(s)
		}
		if !r.contains(seen, key) {
			seen, out = append(seen, key), append(out, one)
		}
	}
	return out
}

func reversed(r *run, v any, a given) any {
	a.take("reverse")
	all := slices.Clone(r.items(v))
	slices.Reverse(all)
	if _, ok := v.(string); ok {
		parts := make([]string, len(all))
		for i, c := range all {
			parts[i] = c.(string)
		}
		return r.join(parts, "")
	}
	return stream(all)
}
