package jinja

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// lookupAttribute returns v.name: a method, an attribute, or an item with this key.
func lookupAttribute(v any, name string) any {
	if m, ok := lookupMethod(v, name); ok {
		return m
	}
	switch v := v.(type) {
	case *pyvalue.Dict:
		if one, ok := v.Get(name); ok {
			return one
		}
	case *loopVariable:
		if one, ok := v.attribute(name); ok {
			return one
		}
	case *namespace:
		if one, ok := v.names[name]; ok {
			return one
		}
	case *undefined:
		failf("%s is undefined, and has no %s", v.name, name)
	}
	return &undefined{name}
}

// lookupItem returns v[with].
func (r *rendering) lookupItem(v, with any) any {
	if u, ok := v.(*undefined); ok {
		failf("%s is undefined, and has no items", u.name)
	}
	key, isText := with.(string)
	if d, ok := v.(*pyvalue.Dict); ok && isText {
		if one, ok := d.Get(key); ok {
			return one
		}
	}
	if isText {
		return lookupAttribute(v, key)
	}
	i, ok := with.(int64)
	if !ok {
		return &undefined{"an item of " + typeName(v)}
	}
	all, ok := v.([]any)
	switch v := v.(type) {
	case tuple:
		all, ok = v, true
	case string:
		all, ok = r.iterateValues(v), true
	}
	if i < 0 {
		i += int64(len(all))
	}
	if !ok || i < 0 || i >= int64(len(all)) {
		return &undefined{"an item of " + typeName(v)}
	}
	return all[i]
}

// sliceValue returns a slice of a text or a list.
func (r *rendering) sliceValue(v any, parts [3]any) any {
	_, isText := v.(string)
	_, isTuple := v.(tuple)
	if _, ok := v.([]any); !ok && !isText && !isTuple {
		failf("%s has no slices", typeName(v))
	}
	all := r.iterateValues(v)
	step := 1
	if parts[2] != nil {
		step = requireInt("a slice", parts[2])
	}
	if step == 0 {
		failf("the step of a slice is 0")
	}
	first, last := sliceBounds(len(all), step, parts)
	var out []any
	for i := first; step > 0 && i < last || step < 0 && i > last; i += step {
		out = append(out, all[i])
	}
	r.chargeBytes(16 * len(out))
	switch {
	case isText:
		var b strings.Builder
		for _, c := range out {
			b.WriteString(c.(string))
		}
		return b.String()
	case isTuple:
		return tuple(out)
	case out == nil:
		return []any{}
	}
	return out
}

// sliceBounds returns the first index of a slice and the index after its last.
func sliceBounds(n, step int, parts [3]any) (first, last int) {
	low, high := 0, n
	if step < 0 {
		low, high = -1, n-1
	}
	place := func(v any, otherwise int) int {
		if v == nil {
			return otherwise
		}
		i := requireInt("a slice", v)
		if i < 0 {
			i = max(i, -n-1) + n
		}
		return min(max(i, low), high)
	}
	if step > 0 {
		return place(parts[0], 0), place(parts[1], n)
	}
	return place(parts[0], n-1), place(parts[1], -1)
}
