package jinja

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// undefined is the value of an undefined name. Its text and its list are empty; all other uses are errors.
type undefined struct{ name string }

// tuple is a list that is printed in parentheses.
type tuple []any

// stream is a list that supports only iteration.
type stream []any

// markup is a text from the filter safe. The operator + escapes added text as HTML.
type markup string

// stripMarkup converts markup to a string. It returns other values unchanged.
func stripMarkup(v any) any {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return v
}

// escaped replaces the characters that HTML escapes.
var escaped = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

// toMarkup returns the text of a value, escaped unless it is markup.
func toMarkup(v any) string {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return escaped.Replace(requireText("+", v))
}

// typeName returns the name of a value's type for errors.
func typeName(v any) string {
	switch v := stripMarkup(v).(type) {
	case *undefined:
		return v.name + ", which is undefined"
	case tuple:
		return "a tuple"
	case stream:
		return "a generator"
	case *loopVariable, *namespace:
		return "an object"
	case callable, *closure:
		return "a function"
	}
	return pyvalue.Name(v)
}

func isTrue(v any) bool {
	switch v := stripMarkup(v).(type) {
	case *undefined:
		return false
	case tuple:
		return len(v) > 0
	case stream, *loopVariable, *namespace, callable, *closure:
		return true
	}
	return pyvalue.IsTrue(stripMarkup(v))
}

// toText returns the text of a value.
func (r *rendering) toText(v any) string {
	switch v := stripMarkup(v).(type) {
	case string:
		return v
	case *undefined:
		return ""
	}
	return r.toRepr(v)
}

// toRepr formats a value like Python's repr.
func (r *rendering) toRepr(v any) string {
	r.countStep()
	defer r.enterNested()()
	switch v := v.(type) {
	case tuple:
		if len(v) == 1 {
			return "(" + r.toRepr(v[0]) + ",)"
		}
		return "(" + r.listRepr(v) + ")"
	case []any:
		return "[" + r.listRepr(v) + "]"
	case *pyvalue.Dict:
		parts := make([]string, len(v.Keys()))
		for i, key := range v.Keys() {
			one, _ := v.Get(key)
			parts[i] = pyvalue.Repr(key) + ": " + r.toRepr(one)
		}
		return "{" + r.joinCharged(parts, ", ") + "}"
	case *undefined:
		return "Undefined"
	case stream, *loopVariable, *namespace, callable, *closure:
		failf("%s has no text", typeName(v))
	}
	return pyvalue.Repr(stripMarkup(v))
}

func (r *rendering) listRepr(items []any) string {
	parts := make([]string, len(items))
	for i, v := range items {
		parts[i] = r.toRepr(v)
	}
	return r.joinCharged(parts, ", ")
}

// joinCharged is strings.Join, but counts the bytes first.
func (r *rendering) joinCharged(parts []string, between string) string {
	n := len(between) * len(parts)
	for _, p := range parts {
		n += len(p)
	}
	r.chargeBytes(n)
	return strings.Join(parts, between)
}

// sequenceItems returns the items of a list, a tuple or a stream.
func sequenceItems(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case tuple:
		return v, true
	case stream:
		return v, true
	}
	return nil, false
}

// iterateValues returns the values of a loop over a value.
func (r *rendering) iterateValues(v any) []any {
	if all, ok := sequenceItems(v); ok {
		return all
	}
	switch v := stripMarkup(v).(type) {
	case *undefined:
		return nil
	case string:
		r.chargeBytes(16 * len(v))
		all := make([]any, 0, len(v))
		for _, c := range v {
			all = append(all, string(c))
		}
		return all
	case *pyvalue.Dict:
		all := make([]any, len(v.Keys()))
		for i, key := range v.Keys() {
			all[i] = key
		}
		r.chargeBytes(16 * len(all))
		return all
	}
	failf("%s is no list", typeName(v))
	return nil
}

// valueLength returns the length of a value.
func valueLength(v any) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case tuple:
		return len(v)
	case *pyvalue.Dict:
		return len(v.Keys())
	case *undefined:
		return 0
	}
	failf("%s has no length", typeName(v))
	return 0
}

// equalValues implements ==.
func (r *rendering) equalValues(a, b any) bool {
	r.countStep()
	switch x := a.(type) {
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case tuple:
		y, ok := b.(tuple)
		return ok && r.equalLists(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && r.equalLists(x, y)
	case *pyvalue.Dict:
		y, ok := b.(*pyvalue.Dict)
		return ok && r.equalDicts(x, y)
	case *loopVariable, *namespace, *closure:
		return a == b
	case stream, callable:
		return false
	}
	switch b.(type) {
	case nil, bool, int64, float64, string:
		return pyvalue.Same(a, b)
	}
	return false
}

func (r *rendering) equalDicts(a, b *pyvalue.Dict) bool {
	if len(a.Keys()) != len(b.Keys()) {
		return false
	}
	for _, key := range a.Keys() {
		x, _ := a.Get(key)
		if y, ok := b.Get(key); !ok || !r.equalValues(x, y) {
			return false
		}
	}
	return true
}

func (r *rendering) equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.equalValues(a[i], b[i]) {
			return false
		}
	}
	return true
}

func lessThan(a, b any) bool {
	x, ok1 := toFloat(a)
	y, ok2 := toFloat(b)
	if ok1 && ok2 {
		return x < y
	}
	s, ok1 := a.(string)
	t, ok2 := b.(string)
	if !ok1 || !ok2 {
		failf("%s and %s have no order", typeName(a), typeName(b))
	}
	return s < t
}

// toFloat converts a number to a float. It returns false for other values.
func toFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func (r *rendering) containsValue(in, v any) bool {
	switch in := in.(type) {
	case string:
		return strings.Contains(in, requireText("in", v))
	case *pyvalue.Dict:
		key, ok := v.(string)
		_, there := in.Get(key)
		return ok && there
	}
	for _, one := range r.iterateValues(in) {
		r.countStep()
		if r.equalValues(one, v) {
			return true
		}
	}
	return false
}

// applyOperator applies a binary operator to two values.
func (r *rendering) applyOperator(operator string, a, b any) any {
	r.countWork(a)
	if operator == "~" {
		return r.joinCharged([]string{r.toText(a), r.toText(b)}, "")
	}
	_, marked1 := a.(markup)
	_, marked2 := b.(markup)
	if operator == "+" && (marked1 || marked2) {
		return markup(r.joinCharged([]string{toMarkup(a), toMarkup(b)}, ""))
	}
	s, isText := a.(string)
	if isText && operator == "%" {
		return r.formatPercent(s, b)
	}
	if t, ok := b.(string); ok && isText && operator == "+" {
		return r.joinCharged([]string{s, t}, "")
	}
	if operator == "*" {
		if v := r.repeatValue(a, b); v != nil {
			return v
		}
	}
	x, ok1 := a.([]any)
	y, ok2 := b.([]any)
	if ok1 && ok2 && operator == "+" {
		r.chargeBytes(16 * (len(x) + len(y)))
		return append(append(make([]any, 0, len(x)+len(y)), x...), y...)
	}
	return arithmetic(operator, a, b)
}

// repeatValue repeats a text or a list. It returns nil for other values.
func (r *rendering) repeatValue(a, b any) any {
	if _, ok := a.(int64); ok {
		a, b = b, a
	}
	n, ok := b.(int64)
	if !ok {
		return nil
	}
	n = max(0, n)
	switch v := a.(type) {
	case string:
		if int64(len(v)) > 0 && n > maxBytes/int64(len(v)) {
			r.chargeBytes(maxBytes + 1)
		}
		r.chargeBytes(len(v) * int(n))
		return strings.Repeat(v, int(n))
	case []any:
		if len(v) > 0 && n > maxBytes/16/int64(len(v)) {
			r.chargeBytes(maxBytes + 1)
		}
		r.chargeBytes(16 * len(v) * int(n))
		out := make([]any, 0, len(v)*int(n))
		for range n {
			out = append(out, v...)
		}
		return out
	}
	return nil
}

// arithmetic applies an operator to two numbers.
func arithmetic(operator string, a, b any) any {
	x, ok1 := toFloat(a)
	y, ok2 := toFloat(b)
	if !ok1 || !ok2 {
		failf("%s %s %s: want numbers, or two texts", typeName(a), operator, typeName(b))
	}
	_, f1 := a.(float64)
	_, f2 := b.(float64)
	if slices.Contains([]string{"/", "//", "%"}, operator) && y == 0 {
		failf("division by zero")
	}
	if !f1 && !f2 && operator != "/" {
		return intArithmetic(operator, int64(requireInt("", a)), int64(requireInt("", b)))
	}
	return floatArithmetic(operator, x, y)
}

// floatArithmetic applies an operator to two floats. Its results are floats.
func floatArithmetic(operator string, x, y float64) any {
	switch operator {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "//":
		return math.Floor(x / y)
	case "**":
		return math.Pow(x, y)
	}
	if m := math.Mod(x, y); m != 0 && (m < 0) != (y < 0) {
		return m + y
	} else {
		return m
	}
}

// intArithmetic applies an operator to whole numbers. Results beyond 2^53 are errors.
func intArithmetic(operator string, x, y int64) any {
	const most = 1 << 53
	var f float64
	switch operator {
	case "+":
		f = float64(x) + float64(y)
	case "-":
		f = float64(x) - float64(y)
	case "*":
		f = float64(x) * float64(y)
	case "**":
		if y < 0 {
			return math.Pow(float64(x), float64(y))
		}
		f = math.Pow(float64(x), float64(y))
	default:
		quotient := x / y
		if rest := x % y; rest != 0 && (rest < 0) != (y < 0) {
			quotient--
		}
		if operator == "//" {
			return quotient
		}
		return x - quotient*y
	}
	if math.Abs(f) > most {
		failf("%d %s %d is too large", x, operator, y)
	}
	return int64(f)
}
