package jinja

import (
	"math"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

type testFunc func(r *rendering, v any, a callArguments) bool

var tests map[string]testFunc

// newKindTest returns a test of a value's type or content.
func newKindTest(is func(v any) bool) testFunc {
	return func(_ *rendering, v any, a callArguments) bool {
		a.bindParameters("the test")
		return is(v)
	}
}

// newComparisonTest returns a test that compares a value with its argument.
func newComparisonTest(operator string) testFunc {
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
		"defined":   newKindTest(func(v any) bool { return !isType[*undefined](v) }),
		"undefined": newKindTest(isType[*undefined]),
		"none":      newKindTest(func(v any) bool { return v == nil }), "string": newKindTest(isType[string]),
		"mapping": newKindTest(isType[*pyvalue.Dict]), "sequence": newKindTest(isSequence),
		"boolean":  newKindTest(isType[bool]),
		"iterable": newKindTest(func(v any) bool { return isSequence(v) || isType[*undefined](v) || isType[stream](v) }),
		"number":   newKindTest(isNumber), "integer": newKindTest(isType[int64]), "float": newKindTest(isType[float64]),
		"true":  newKindTest(func(v any) bool { return v == true }),
		"false": newKindTest(func(v any) bool { return v == false }),
		"callable": newKindTest(func(v any) bool {
			return isType[callable](v) || isType[*closure](v)
		}),
		"odd":  newKindTest(func(v any) bool { return math.Mod(float64(requireInt("odd", v)), 2) != 0 }),
		"even": newKindTest(func(v any) bool { return requireInt("even", v)%2 == 0 }),
		"divisibleby": func(_ *rendering, v any, a callArguments) bool {
			n := requireInt("divisibleby", a.bindParameters("divisibleby", "num")[0])
			if n == 0 {
				failf("division by zero")
			}
			return requireInt("divisibleby", v)%n == 0
		},
		"upper": newKindTest(func(v any) bool { s, ok := v.(string); return ok && isCased(s) && strings.ToUpper(s) == s }),
		"lower": newKindTest(func(v any) bool { s, ok := v.(string); return ok && isCased(s) && pyvalue.Lower(s) == s }),
		"==":    newComparisonTest("=="), "eq": newComparisonTest("=="), "equalto": newComparisonTest("=="),
		"!=": newComparisonTest("!="), "ne": newComparisonTest("!="),
		">": newComparisonTest(">"), "gt": newComparisonTest(">"), "greaterthan": newComparisonTest(">"),
		">=": newComparisonTest(">="),
		"ge": newComparisonTest(">="),
		"<":  newComparisonTest("<"), "lt": newComparisonTest("<"), "lessthan": newComparisonTest("<"),
		"<=": newComparisonTest("<="),
		"le": newComparisonTest("<="),
		"in": newComparisonTest("in"),
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
