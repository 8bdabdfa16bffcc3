package jinja

import (
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// expression is a part of a template that has a value.
type expression interface {
	value(r *rendering, s *nameScope) any
}

// evaluate returns the value of an expression.
func (r *rendering) evaluate(e expression, s *nameScope) any {
	r.countStep()
	return e.value(r, s)
}

type (
	literal  struct{ v any }
	nameExpr struct {
		line int
		name string
	}
	conditionalExpr struct {
		line                       int
		then, condition, otherwise expression // otherwise is nil if there is no else
	}
	logicExpr struct {
		a, b expression
		or   bool
	}
	notExpr        struct{ operand expression }
	comparisonExpr struct {
		line   int
		first  expression
		others []comparedOperand
	}
	comparedOperand struct {
		operator string
		operand  expression
	}
	binaryExpr struct {
		line     int
		operator string
		a, b     expression
	}
	unaryExpr struct {
		line    int
		minus   bool
		operand expression
	}
	listExpr struct {
		line    int
		items   []expression
		isTuple bool // true: a tuple
	}
	dictExpr struct {
		line         int
		keys, values []expression
	}
	attributeExpr struct {
		line   int
		object expression
		name   string
	}
	itemExpr struct {
		line        int
		object, key expression
	}
	sliceExpr struct {
		line   int
		object expression
		bounds [3]expression // nil: absent
	}
	argumentExprs struct {
		positional []expression
		names      []string
		named      []expression
	}
	callExpr struct {
		line      int
		callee    expression
		arguments argumentExprs
	}
	filterExpr struct {
		line      int
		input     expression
		name      string
		arguments argumentExprs
	}
	testExpr struct {
		line      int
		operand   expression
		negated   bool
		name      string
		arguments argumentExprs
	}
)

func (v literal) value(*rendering, *nameScope) any { return v.v }

func (n *nameExpr) value(_ *rendering, s *nameScope) any { return s.lookupName(n.name) }

func (c *conditionalExpr) value(r *rendering, s *nameScope) any {
	switch {
	case isTrue(r.evaluate(c.condition, s)):
		return r.evaluate(c.then, s)
	case c.otherwise == nil:
		return &undefined{"the value of an if without else"}
	}
	return r.evaluate(c.otherwise, s)
}

func (l *logicExpr) value(r *rendering, s *nameScope) any {
	if a := r.evaluate(l.a, s); isTrue(a) == l.or {
		return a
	}
	return r.evaluate(l.b, s)
}

func (n *notExpr) value(r *rendering, s *nameScope) any { return !isTrue(r.evaluate(n.operand, s)) }

func (c *comparisonExpr) value(r *rendering, s *nameScope) any {
	a := r.evaluate(c.first, s)
	for _, one := range c.others {
		b := r.evaluate(one.operand, s)
		if !r.compareValues(one.operator, a, b) {
			return false
		}
		a = b
	}
	return true
}

func (r *rendering) compareValues(operator string, a, b any) bool {
	a, b = stripMarkup(a), stripMarkup(b)
	r.countWork(a)
	r.countWork(b)
	switch operator {
	case "==":
		return r.equalValues(a, b)
	case "!=":
		return !r.equalValues(a, b)
	case "in":
		return r.containsValue(b, a)
	case "not in":
		return !r.containsValue(b, a)
	case "<":
		return lessThan(a, b)
	case ">":
		return lessThan(b, a)
	case "<=":
		return lessThan(a, b) || r.equalValues(a, b)
	}
	return lessThan(b, a) || r.equalValues(a, b)
}

func (b *binaryExpr) value(r *rendering, s *nameScope) any {
	x := r.evaluate(b.a, s)
	return r.applyOperator(b.operator, x, r.evaluate(b.b, s))
}

func (u *unaryExpr) value(r *rendering, s *nameScope) any {
	v := r.evaluate(u.operand, s)
	if b, ok := v.(bool); ok {
		v = int64(0)
		if b {
			v = int64(1)
		}
	}
	switch n := v.(type) {
	case int64:
		if u.minus && n != math.MinInt64 {
			return -n
		}
		return n
	case float64:
		if u.minus {
			return -n
		}
		return n
	}
	failf("%s has no sign", typeName(v))
	return nil
}

func (l *listExpr) value(r *rendering, s *nameScope) any {
	items := make([]any, len(l.items))
	for i, e := range l.items {
		items[i] = r.evaluate(e, s)
	}
	r.chargeBytes(16 * len(items))
	if l.isTuple {
		return tuple(items)
	}
	return items
}

func (d *dictExpr) value(r *rendering, s *nameScope) any {
	out := pyvalue.NewDict()
	for i, e := range d.keys {
		key, ok := r.evaluate(e, s).(string)
		if !ok {
			failf("a key of a dict is no text: that is not supported")
		}
		out.Set(key, r.evaluate(d.values[i], s))
	}
	r.chargeBytes(64 * len(d.keys))
	return out
}

func (a *attributeExpr) value(r *rendering, s *nameScope) any {
	return lookupAttribute(stripMarkup(r.evaluate(a.object, s)), a.name)
}

func (i *itemExpr) value(r *rendering, s *nameScope) any {
	of := stripMarkup(r.evaluate(i.object, s))
	return r.lookupItem(of, stripMarkup(r.evaluate(i.key, s)))
}

func (l *sliceExpr) value(r *rendering, s *nameScope) any {
	of := stripMarkup(r.evaluate(l.object, s))
	var parts [3]any
	for i, e := range l.bounds {
		if e != nil {
			parts[i] = r.evaluate(e, s)
		}
	}
	return r.sliceValue(of, parts)
}

// callArguments contains the values of a call's arguments.
type callArguments struct {
	positional []any
	named      map[string]any
}

func (r *rendering) evalArguments(a argumentExprs, s *nameScope) (g callArguments) {
	for _, e := range a.positional {
		g.positional = append(g.positional, stripMarkup(r.evaluate(e, s)))
	}
	for i, e := range a.named {
		if g.named == nil {
			g.named = map[string]any{}
		}
		g.named[a.names[i]] = stripMarkup(r.evaluate(e, s))
	}
	return g
}

// bindParameters assigns the arguments to the parameters names, by position or name. Missing arguments are
// absentArgument.
func (g callArguments) bindParameters(of string, names ...string) []any {
	if len(g.positional) > len(names) {
		failf("%s takes %d arguments, and has %d", of, len(names), len(g.positional))
	}
	out, used := make([]any, len(names)), 0
	for i, name := range names {
		v, named := g.named[name]
		switch {
		case i < len(g.positional) && named:
			failf("%s has its argument %s twice", of, name)
		case i < len(g.positional):
			out[i] = g.positional[i]
		case named:
			out[i] = v
			used++
		default:
			out[i] = absentArgument{}
		}
	}
	if used < len(g.named) {
		failf("%s has an argument that it does not know", of)
	}
	return out
}

// absentArgument is the value of a missing argument.
type absentArgument struct{}

// argumentOr returns an argument, or its default if it is missing.
func argumentOr(v, otherwise any) any {
	if _, none := v.(absentArgument); none {
		return otherwise
	}
	return v
}

// requireText returns an argument that must be a string.
func requireText(of string, v any) string {
	t, ok := v.(string)
	if !ok {
		failf("%s wants a text, found %s", of, typeName(v))
	}
	return t
}

// requireInt returns an argument that must be a whole number.
func requireInt(of string, v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case bool:
		if n {
			return 1
		}
		return 0
	}
	failf("%s wants a whole number, found %s", of, typeName(v))
	return 0
}

// callable is a function or method that a template can call.
type callable func(r *rendering, a callArguments) any

func (c *callExpr) value(r *rendering, s *nameScope) any {
	f := r.evaluate(c.callee, s)
	a := r.evalArguments(c.arguments, s)
	switch f := f.(type) {
	case callable:
		return f(r, a)
	case *closure:
		return f.call(r, a)
	case *undefined:
		failf("%s is undefined", f.name)
	}
	failf("%s cannot be called", typeName(f))
	return nil
}

func (f *filterExpr) value(r *rendering, s *nameScope) any {
	return r.applyFilter(f, r.evaluate(f.input, s), s)
}

func (r *rendering) applyFilter(f *filterExpr, v any, s *nameScope) any {
	filter, ok := filters[f.name]
	if !ok {
		failf("no filter is named %q", f.name)
	}
	r.countWork(v)
	return filter(r, stripMarkup(v), r.evalArguments(f.arguments, s))
}

// applyFilters applies a chain of filters to a value.
func (r *rendering) applyFilters(e expression, v any, s *nameScope) any {
	f, ok := e.(*filterExpr)
	if !ok {
		return v
	}
	r.countStep()
	return r.applyFilter(f, r.applyFilters(f.input, v, s), s)
}

func (t *testExpr) value(r *rendering, s *nameScope) any {
	v := r.evaluate(t.operand, s)
	return r.applyTest(t.name, v, r.evalArguments(t.arguments, s)) != t.negated
}

func (r *rendering) applyTest(name string, v any, a callArguments) bool {
	test, ok := tests[name]
	if !ok {
		failf("no test is named %q", name)
	}
	return test(r, stripMarkup(v), a)
}
