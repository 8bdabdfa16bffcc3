package jinja

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

type filterFunc func(r *rendering, v any, a callArguments) any

var filters map[string]filterFunc

func init() {
	filters = map[string]filterFunc{
		"tojson": toJSON, "trim": trimFilter, "length": lengthFilter, "count": lengthFilter, "default": defaultFilter,
		"d":      defaultFilter,
		"string": func(r *rendering, v any, a callArguments) any { a.bindParameters("string"); return r.toText(v) },
		"safe":   func(r *rendering, v any, a callArguments) any { a.bindParameters("safe"); return markup(r.toText(v)) },
		"upper":  newTextFilter(strings.ToUpper), "lower": newTextFilter(pyvalue.Lower), "title": newTextFilter(titleCase),
		"capitalize": newTextFilter(capitalize),
		"items":      itemsFilter, "dictsort": dictSort, "join": joinFilter, "replace": replaceFilter, "indent": indentFilter,
		"list": func(r *rendering, v any, a callArguments) any {
			a.bindParameters("list")
			return slices.Clone(r.iterateValues(v))
		},
		"first": func(r *rendering, v any, a callArguments) any {
			a.bindParameters("first")
			return r.firstOrLast(v, true)
		},
		"last": func(r *rendering, v any, a callArguments) any {
			a.bindParameters("last")
			return r.firstOrLast(v, false)
		},
		"int": intFilter, "float": floatFilter, "abs": absFilter, "map": mapFilter, "unique": uniqueFilter,
		"reverse": reverseFilter, "sort": sortFilter,
		"min":        func(r *rendering, v any, a callArguments) any { return r.minOrMax("min", v, a, -1) },
		"max":        func(r *rendering, v any, a callArguments) any { return r.minOrMax("max", v, a, 1) },
		"select":     func(r *rendering, v any, a callArguments) any { return r.selectItems("select", v, a, false, true) },
		"reject":     func(r *rendering, v any, a callArguments) any { return r.selectItems("reject", v, a, false, false) },
		"selectattr": func(r *rendering, v any, a callArguments) any { return r.selectItems("selectattr", v, a, true, true) },
		"rejectattr": func(r *rendering, v any, a callArguments) any {
			return r.selectItems("rejectattr", v, a, true,
				false)
		},
	}
}

func newTextFilter(f func(string) string) filterFunc {
	return func(r *rendering, v any, a callArguments) any {
		a.bindParameters("the filter")
		s := r.toText(v)
		r.chargeBytes(len(s))
		return f(s)
	}
}

func trimFilter(r *rendering, v any, a callArguments) any {
	s := r.toText(v)
	return stripRight(stripLeft(s, a), a)
}

func lengthFilter(_ *rendering, v any, a callArguments) any {
	a.bindParameters("length")
	return int64(valueLength(v))
}

func defaultFilter(_ *rendering, v any, a callArguments) any {
	p := a.bindParameters("default", "default_value", "boolean")
	_, none := v.(*undefined)
	if none || isTrue(argumentOr(p[1], false)) && !isTrue(v) {
		return argumentOr(p[0], "")
	}
	return v
}

func itemsFilter(r *rendering, v any, a callArguments) any {
	a.bindParameters("items")
	switch v := v.(type) {
	case *undefined:
		return stream{}
	case *pyvalue.Dict:
		return dictItems(r, v)
	}
	failf("items wants a dict, found %s", typeName(v))
	return nil
}

// orderValues compares two values like Jinja's sorting filters. It ignores the case of texts unless cased is true.
func (r *rendering) orderValues(a, b any, cased bool) int {
	r.countStep()
	s, ok1 := a.(string)
	t, ok2 := b.(string)
	if ok1 && ok2 && !cased {
		a, b = pyvalue.Lower(s), pyvalue.Lower(t)
	}
	switch {
	case lessThan(a, b):
		return -1
	case lessThan(b, a):
		return 1
	}
	return 0
}

func dictSort(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("dictsort", "case_sensitive", "by", "reverse")
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		failf("dictsort wants a dict, found %s", typeName(v))
	}
	part := map[any]int{"key": 0, "value": 1}
	i, ok := part[argumentOr(p[1], "key")]
	if !ok {
		failf(`dictsort is by "key" or "value"`)
	}
	all, cased := []any(dictItems(r, d)), isTrue(argumentOr(p[0], false))
	slices.SortStableFunc(all, func(a, b any) int {
		x, y := a.(tuple)[i], b.(tuple)[i]
		if isTrue(argumentOr(p[2], false)) {
			x, y = y, x
		}
		return r.orderValues(x, y, cased)
	})
	return all
}

func sortFilter(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("sort", "reverse", "case_sensitive", "attribute")
	all, cased := slices.Clone(r.iterateValues(v)), isTrue(argumentOr(p[1], false))
	key := func(v any) any {
		if name := argumentOr(p[2], nil); name != nil {
			return r.attributePath(v, requireText("sort", name))
		}
		return v
	}
	slices.SortStableFunc(all, func(a, b any) int {
		if isTrue(argumentOr(p[0], false)) {
			a, b = b, a
		}
		return r.orderValues(key(a), key(b), cased)
	})
	return all
}

func joinFilter(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("join", "d", "attribute")
	var parts []string
	for _, one := range r.iterateValues(v) {
		if name := argumentOr(p[1], nil); name != nil {
			one = r.attributePath(one, requireText("join", name))
		}
		parts = append(parts, r.toText(one))
	}
	return r.joinCharged(parts, r.toText(argumentOr(p[0], "")))
}

// attributePath returns an attribute of a value, or of its attributes: a.b. Numbers in the path select items.
func (r *rendering) attributePath(v any, path string) any {
	for _, name := range strings.Split(path, ".") {
		if i, err := strconv.ParseInt(name, 10, 32); err == nil {
			v = r.lookupItem(v, i)
			continue
		}
		v = r.lookupItem(v, name)
	}
	return v
}

func replaceFilter(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("replace", "old", "new", "count")
	n := argumentOr(p[2], nil)
	if n == nil {
		n = int64(-1)
	}
	return replaceMethod(r, r.toText(v), callArguments{positional: []any{r.toText(p[0]), r.toText(p[1]), n}})
}

func indentFilter(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("indent", "width", "first", "blank")
	by, ok := argumentOr(p[0], int64(4)).(string)
	if !ok {
		n := requireInt("indent", argumentOr(p[0], int64(4)))
		if r.chargeBytes(max(0, n)); n > 0 {
			by = strings.Repeat(" ", n)
		}
	}
	lines := strings.Split(strings.ReplaceAll(r.toText(v), "\r\n", "\n"), "\n")
	for i, line := range lines {
		if i == 0 && !isTrue(argumentOr(p[1], false)) || i > 0 && line == "" && !isTrue(argumentOr(p[2], false)) {
			continue
		}
		r.chargeBytes(len(by))
		lines[i] = by + line
	}
	return r.joinCharged(lines, "\n")
}

func (r *rendering) firstOrLast(v any, first bool) any {
	all := r.iterateValues(v)
	switch {
	case len(all) == 0:
		return &undefined{"an item of an empty list"}
	case first:
		return all[0]
	}
	return all[len(all)-1]
}

func intFilter(_ *rendering, v any, a callArguments) any {
	p := a.bindParameters("int", "default", "base")
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
		return int64(requireInt("int", v))
	}
	return argumentOr(p[0], int64(0))
}

func floatFilter(_ *rendering, v any, a callArguments) any {
	p := a.bindParameters("float", "default")
	if f, ok := toFloat(v); ok {
		return f
	}
	if s, ok := v.(string); ok {
		if f, ok := pyfloat.Parse(s); ok {
			return f
		}
	}
	return argumentOr(p[0], 0.0)
}

func absFilter(_ *rendering, v any, a callArguments) any {
	a.bindParameters("abs")
	if n, ok := v.(int64); ok && n != math.MinInt64 {
		return max(n, -n)
	}
	f, ok := toFloat(v)
	if !ok {
		failf("abs wants a number, found %s", typeName(v))
	}
	return math.Abs(f)
}

func mapFilter(r *rendering, v any, a callArguments) any {
	out := stream{}
	name, byName := a.named["attribute"]
	fallback, hasFallback := a.named["default"]
	if !byName && len(a.positional) == 0 {
		failf("map wants a filter or an attribute")
	}
	if !isTrue(v) {
		return out
	}
	for _, one := range r.iterateValues(v) {
		r.countStep()
		if byName {
			one = r.attributePath(one, r.toText(name))
			if _, none := one.(*undefined); none && hasFallback {
				one = fallback
			}
		} else {
			f, ok := filters[requireText("map", a.positional[0])]
			if !ok {
				failf("no filter is named %q", a.positional[0])
			}
			one = f(r, one, callArguments{a.positional[1:], a.named})
		}
		out = append(out, one)
	}
	return out
}

// selectItems returns the items for which a test returns the value of holds.
func (r *rendering) selectItems(of string, v any, a callArguments, byAttribute, holds bool) any {
	out, places := stream{}, a.positional
	path := ""
	if byAttribute {
		if len(places) == 0 {
			failf("%s wants an attribute", of)
		}
		path, places = r.toText(places[0]), places[1:]
	}
	if !isTrue(v) {
		return out
	}
	for _, one := range r.iterateValues(v) {
		r.countStep()
		tested, ok := one, false
		if byAttribute {
			tested = r.attributePath(one, path)
		}
		if len(places) == 0 {
			ok = isTrue(tested)
		} else {
			ok = r.applyTest(requireText(of, places[0]), tested, callArguments{places[1:], a.named})
		}
		if ok == holds {
			out = append(out, one)
		}
	}
	return out
}

// minOrMax returns the smallest or the largest item, depending on sign; if several are equal, the first.
func (r *rendering) minOrMax(of string, v any, a callArguments, sign int) any {
	p := a.bindParameters(of, "case_sensitive", "attribute")
	if argumentOr(p[1], nil) != nil {
		failf("%s with an attribute is not supported", of)
	}
	all := r.iterateValues(v)
	if len(all) == 0 {
		return &undefined{"an item of an empty list"}
	}
	best := all[0]
	for _, one := range all[1:] {
		if sign*r.orderValues(one, best, isTrue(argumentOr(p[0], false))) > 0 {
			best = one
		}
	}
	return best
}

func uniqueFilter(r *rendering, v any, a callArguments) any {
	p := a.bindParameters("unique", "case_sensitive", "attribute")
	out, seen := stream{}, []any{}
	for _, one := range r.iterateValues(v) {
		key := one
		if name := argumentOr(p[1], nil); name != nil {
			key = r.attributePath(one, requireText("unique", name))
		}
		if s, ok := key.(string); ok && !isTrue(argumentOr(p[0], false)) {
			key = pyvalue.Lower(s)
		}
		if !r.containsValue(seen, key) {
			seen, out = append(seen, key), append(out, one)
		}
	}
	return out
}

func reverseFilter(r *rendering, v any, a callArguments) any {
	a.bindParameters("reverse")
	all := slices.Clone(r.iterateValues(v))
	slices.Reverse(all)
	if _, ok := v.(string); ok {
		parts := make([]string, len(all))
		for i, c := range all {
			parts[i] = c.(string)
		}
		return r.joinCharged(parts, "")
	}
	return stream(all)
}
