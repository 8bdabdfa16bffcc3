package jinja

import (
	"math"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

type testFunc func(r *rendering, v any, a callArguments) bool

var tests map[string]testFunc

// kindOf returns a test of a value's type or content.
func kindOf(is func(v any) bool) testFunc {
	return func(_ *rendering, v any, a callArguments) bool {
		a.bindParameters("the test")
		return is(v)
	}
}

// comparisonTest returns a test that compares a value with its argument.
func comparisonTest(operator string) testFunc {
	return func(r *rendering, v any, a callArguments) bool {
		return r.compareValues(operator, v, a.bindParameters(operator, "other")[0])
	}
}

func isType[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func isNumber(v any) bool {
	_, ok := toFloat(v)
	return ok
}

func isSequence(v any) bool {
	return isType[[]any](v) || isType[tuple](v) || isType[string](v) || isType[*pyvalue.Dict](v)
}

func init() {
	tests = map[string]testFunc{
		"defined": kindOf(func(v any) bool { return !isType[*undefined](v) }), "undefined": kindOf(isType[*undefined]),
		"none": kindOf(func(v any) bool { return v == nil }), "string": kindOf(isType[string]),
		"mapping": kindOf(isType[*pyvalue.Dict]), "sequence": kindOf(isSequence), "boolean": kindOf(isType[bool]),
		"iterable": kindOf(func(v any) bool { return isSequence(v) || isType[*undefined](v) || isType[stream](v) }),
		"number":   kindOf(isNumber), "integer": kindOf(isType[int64]), "float": kindOf(isType[float64]),
		"true":  kindOf(func(v any) bool { return v == true }),
		"false": kindOf(func(v any) bool { return v == false }),
		"callable": kindOf(func(v any) bool {
			return isType[callable](v) || isType[*closure](v)
		}),
		"odd":  kindOf(func(v any) bool { return math.Mod(float64(wholeOf("odd", v)), 2) != 0 }),
		"even": kindOf(func(v any) bool { return wholeOf("even", v)%2 == 0 }),
		"divisibleby": func(_ *rendering, v any, a callArguments) bool {
			n := wholeOf("divisibleby", a.bindParameters("divisibleby", "num")[0])
			if n == 0 {
				failf("division by zero")
			}
			return wholeOf("divisibleby", v)%n == 0
		},
		"upper": kindOf(func(v any) bool { s, ok := v.(string); return ok && isCased(s) && strings.ToUpper(s) == s }),
		"lower": kindOf(func(v any) bool { s, ok := v.(string); return ok && isCased(s) && pyvalue.Lower(s) == s }),
		"==":    comparisonTest("=="), "eq": comparisonTest("=="), "equalto": comparisonTest("=="),
		"!=": comparisonTest("!="), "ne": comparisonTest("!="),
		">": comparisonTest(">"), "gt": comparisonTest(">"), "greaterthan": comparisonTest(">"), ">=": comparisonTest(">="),
		"ge": comparisonTest(">="),
		"<":  comparisonTest("<"), "lt": comparisonTest("<"), "lessthan": comparisonTest("<"), "<=": comparisonTest("<="),
		"le": comparisonTest("<="),
		"in": comparisonTest("in"),
		"sameas": func(_ *rendering, v any, a callArguments) bool {
			other := a.bindParameters("sameas", "other")[0]
			switch v.(type) {
			case nil, bool:
				return v == other
			}
			failf("sameas is of none, true and false: that of %s is not supported", typeName(v))
			return false
		},
	}
}

func isCased(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return unicode.IsUpper(c) || unicode.IsLower(c) })
}
