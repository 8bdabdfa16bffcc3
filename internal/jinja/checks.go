package jinja

import (
	"math"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

type check func(r *run, v any, a given) bool

var tests map[string]check

// kindOf is a test of what a value is.
func kindOf(is func(v any) bool) check {
	return func(_ *run, v any, a given) bool {
		a.take("the test")
		return is(v)
	}
}

// compares is a test by a comparison.
func compares(operator string) check {
	return func(r *run, v any, a given) bool { return r.compare(operator, v, a.take(operator, "other")[0]) }
}

func isType[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func isNumber(v any) bool {
	_, ok := number(v)
	return ok
}

func isSequence(v any) bool {
	return isType[[]any](v) || isType[tuple](v) || isType[string](v) || isType[*pyvalue.Dict](v)
}

func init() {
	tests = map[string]check{
		"defined": kindOf(func(v any) bool { return !isType[*undefined](v) }), "undefined": kindOf(isType[*undefined]),
		"none": kindOf(func(v any) bool { return v == nil }), "string": kindOf(isType[string]),
		"mapping": kindOf(isType[*pyvalue.Dict]), "sequence": kindOf(isSequence), "boolean": kindOf(isType[bool]),
		"iterable": kindOf(func(v any) bool { return isSequence(v) || isType[*undefined](v) || isType[stream](v) }),
		"number":   kindOf(isNumber), "integer": kindOf(isType[int64]), "float": kindOf(isType[float64]),
		"true":  kindOf(func(v any) bool { return v == true }),
		"false": kindOf(func(v any) bool { return v == false }),
		"callable": kindOf(func(v any) bool {
			return isType[function](v) || isType[*closure](v)
		}),
		"odd":  kindOf(func(v any) bool { return math.Mod(float64(wholeOf("odd", v)), 2) != 0 }),
		"even": kindOf(func(v any) bool { return wholeOf("even", v)%2 == 0 }),
		"divisibleby": func(_ *run, v any, a given) bool {
			n := wholeOf("divisibleby", a.take("divisibleby", "num")[0])
			if n == 0 {
				fail("division by zero")
			}
			return wholeOf("divisibleby", v)%n == 0
		},
		"upper": kindOf(func(v any) bool { s, ok := v.(string); return ok && cased(s) && strings.ToUpper(s) == s }),
		"lower": kindOf(func(v any) bool { s, ok := v.(string); return ok && cased(s) && pyvalue.Lower(s) == s }),
		"==":    compares("=="), "eq": compares("=="), "equalto": compares("=="), "!=": compares("!="), "ne": compares("!="),
		">": compares(">"), "gt": compares(">"), "greaterthan": compares(">"), ">=": compares(">="), "ge": compares(">="),
		"<": compares("<"), "lt": compares("<"), "lessthan": compares("<"), "<=": compares("<="), "le": compares("<="),
		"in": compares("in"),
		"sameas": func(_ *run, v any, a given) bool {
			other := a.take("sameas", "other")[0]
			switch v.(type) {
			case nil, bool:
				return v == other
			}
			fail("sameas is of none, true and false: that of %s is not supported", typeName(v))
			return false
		},
	}
}

func cased(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return unicode.IsUpper(c) || unicode.IsLower(c) })
}
