package jinja

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// undefined is the value of what has none. It is empty as a text and as a list; all else of it is an error.
type undefined struct{ name string }

// tuple is a list that is printed in parentheses.
type tuple []any

// stream is a list that can only be gone through.
type stream []any

// markup is a text that the filter safe made: what is added to it by + is escaped as HTML.
type markup string

// plainOf is a value without what safe made of it.
func plainOf(v any) any {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return v
}

// escaped are the letters that HTML writes otherwise.
var escaped = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

// escapedOf is a text as markup has it.
func escapedOf(v any) string {
	if m, ok := v.(markup); ok {
		return string(m)
	}
	return escaped.Replace(textOf("+", v))
}

// typeName is what an error calls a value.
func typeName(v any) string {
	switch v := plainOf(v).(type) {
	case *undefined:
		return v.name + ", which is undefined"
	case tuple:
		return "a tuple"
	case stream:
		return "a generator"
	case *round, *namespace:
		return "an object"
	case function, *closure:
		return "a function"
	}
	return pyvalue.Name(v)
}

func truth(v any) bool {
	switch v := plainOf(v).(type) {
	case *undefined:
		return false
	case tuple:
		return len(v) > 0
	case stream, *round, *namespace, function, *closure:
		return true
	}
	return pyvalue.True(plainOf(v))
}

// str is the text of a value.
func (r *run) str(v any) string {
	switch v := plainOf(v).(type) {
	case string:
		return v
	case *undefined:
		return ""
	}
	return r.repr(v)
}

// repr is a value as repr writes it.
func (r *run) repr(v any) string {
	r.step()
	defer r.deeper()()
	switch v := v.(type) {
	case tuple:
		if len(v) == 1 {
			return "(" + r.repr(v[0]) + ",)"
		}
		return "(" + r.reprs(v) + ")"
	case []any:
		return "[" + r.reprs(v) + "]"
	case *pyvalue.Dict:
		parts := make([]string, len(v.Keys()))
		for i, key := range v.Keys() {
			one, _ := v.Get(key)
			parts[i] = pyvalue.Repr(key) + ": " + r.repr(one)
		}
		return "{" + r.join(parts, ", ") + "}"
	case *undefined:
		return "Undefined"
	case stream, *round, *namespace, function, *closure:
		fail("%s has no text", typeName(v))
	}
	return pyvalue.Repr(plainOf(v))
}

func (r *run) reprs(items []any) string {
	parts := make([]string, len(items))
	for i, v := range items {
		parts[i] = r.repr(v)
	}
	return r.join(parts, ", ")
}

// join is strings.Join, charged before it is made.
func (r *run) join(parts []string, between string) string {
	n := len(between) * len(parts)
	for _, p := range parts {
		n += len(p)
	}
	r.charge(n)
	return strings.Join(parts, between)
}

// sequence are the items of a list, a tuple or a stream.
func sequence(v any) ([]any, bool) {
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

// items are what a loop over a value goes through.
func (r *run) items(v any) []any {
	if all, ok := sequence(v); ok {
		return all
	}
	switch v := plainOf(v).(type) {
	case *undefined:
		return nil
	case string:
		r.charge(16 * len(v))
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
		r.charge(16 * len(all))
		return all
	}
	fail("%s is no list", typeName(v))
	return nil
}

// length is len of a value.
func length(v any) int {
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
	fail("%s has no length", typeName(v))
	return 0
}

// same is ==.
func (r *run) same(a, b any) bool {
	r.step()
	switch x := a.(type) {
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case tuple:
		y, ok := b.(tuple)
		return ok && r.allSame(x, y)
	case []any:
		y, ok := b.([]any)
		return ok && r.allSame(x, y)
	case *pyvalue.Dict:
		y, ok := b.(*pyvalue.Dict)
		return ok && r.sameDict(x, y)
	case *round, *namespace, *closure:
		return a == b
	case stream, function:
		return false
	}
	switch b.(type) {
	case nil, bool, int64, float64, string:
		return pyvalue.Same(a, b)
	}
	return false
}

func (r *run) sameDict(a, b *pyvalue.Dict) bool {
	if len(a.Keys()) != len(b.Keys()) {
		return false
	}
	for _, key := range a.Keys() {
		x, _ := a.Get(key)
		if y, ok := b.Get(key); !ok || !r.same(x, y) {
			return false
		}
	}
	return true
}

func (r *run) allSame(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.same(a[i], b[i]) {
			return false
		}
	}
	return true
}

func less(a, b any) bool {
	x, ok1 := number(a)
	y, ok2 := number(b)
	if ok1 && ok2 {
		return x < y
	}
	s, ok1 := a.(string)
	t, ok2 := b.(string)
	if !ok1 || !ok2 {
		fail("%s and %s have no order", typeName(a), typeName(b))
	}
	return s < t
}

// number is a number as a float.
func number(v any) (float64, bool) {
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

func (r *run) contains(in, v any) bool {
	switch in := in.(type) {
	case string:
		return strings.Contains(in, textOf("in", v))
	case *pyvalue.Dict:
		key, ok := v.(string)
		_, there := in.Get(key)
		return ok && there
	}
	for _, one := range r.items(in) {
		r.step()
		if r.same(one, v) {
			return true
		}
	}
	return false
}

// operate is an operator of two values.
func (r *run) operate(operator string, a, b any) any {
	r.work(a)
	if operator == "~" {
		return r.join([]string{r.str(a), r.str(b)}, "")
	}
	_, marked1 := a.(markup)
	_, marked2 := b.(markup)
	if operator == "+" && (marked1 || marked2) {
		return markup(r.join([]string{escapedOf(a), escapedOf(b)}, ""))
	}
	s, isText := a.(string)
	if isText && operator == "%" {
		return r.percent(s, b)
	}
	if t, ok := b.(string); ok && isText && operator == "+" {
		return r.join([]string{s, t}, "")
	}
	if operator == "*" {
		if v := r.times(a, b); v != nil {
			return v
		}
	}
	x, ok1 := a.([]any)
	y, ok2 := b.([]any)
	if ok1 && ok2 && operator == "+" {
		r.charge(16 * (len(x) + len(y)))
		return append(append(make([]any, 0, len(x)+len(y)), x...), y...)
	}
	return arithmetic(operator, a, b)
}

// times repeats a text or a list; nil: it is neither.
func (r *run) times(a, b any) any {
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
			r.charge(maxBytes + 1)
		}
		r.charge(len(v) * int(n))
		return strings.Repeat(v, int(n))
	case []any:
		if len(v) > 0 && n > maxBytes/16/int64(len(v)) {
			r.charge(maxBytes + 1)
		}
		r.charge(16 * len(v) * int(n))
		out := make([]any, 0, len(v)*int(n))
		for range n {
			out = append(out, v...)
		}
		return out
	}
	return nil
}

// arithmetic works with numbers.
func arithmetic(operator string, a, b any) any {
	x, ok1 := number(a)
	y, ok2 := number(b)
	if !ok1 || !ok2 {
		fail("%s %s %s: want numbers, or two texts", typeName(a), operator, typeName(b))
	}
	_, f1 := a.(float64)
	_, f2 := b.(float64)
	if slices.Contains([]string{"/", "//", "%"}, operator) && y == 0 {
		fail("division by zero")
	}
	if !f1 && !f2 && operator != "/" {
		return wholes(operator, int64(wholeOf("", a)), int64(wholeOf("", b)))
	}
	return floats(operator, x, y)
}

// floats works with numbers of which one is a float, or divides.
func floats(operator string, x, y float64) any {
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

// wholes works with whole numbers; those beyond 2^53 are an error.
func wholes(operator string, x, y int64) any {
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
		fail("%d %s %d is too large", x, operator, y)
	}
	return int64(f)
}
