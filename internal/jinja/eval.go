package jinja

import (
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// expression is a part of a template that has a value.
type expression interface{ value(r *run, s *scope) any }

// eval works an expression out.
func (r *run) eval(e expression, s *scope) any {
	r.step()
	return e.value(r, s)
}

type (
	value struct{ v any }
	name  struct {
		line int
		name string
	}
	choice struct {
		line                  int
		then, when, otherwise expression // otherwise is nil where there is none
	}
	logic struct {
		a, b expression
		or   bool
	}
	negation   struct{ of expression }
	comparison struct {
		line  int
		first expression
		rest  []compared
	}
	compared struct {
		operator string
		with     expression
	}
	binary struct {
		line     int
		operator string
		a, b     expression
	}
	unary struct {
		line  int
		minus bool
		of    expression
	}
	list struct {
		line  int
		items []expression
		fixed bool // a tuple
	}
	dict struct {
		line         int
		keys, values []expression
	}
	attribute struct {
		line int
		of   expression
		name string
	}
	item struct {
		line     int
		of, with expression
	}
	slice struct {
		line  int
		of    expression
		parts [3]expression // nil where there is none
	}
	arguments struct {
		places []expression
		names  []string
		named  []expression
	}
	call struct {
		line int
		of   expression
		with arguments
	}
	filtered struct {
		line int
		of   expression
		name string
		with arguments
	}
	tested struct {
		line int
		of   expression
		not  bool
		name string
		with arguments
	}
)

func (v value) value(*run, *scope) any { return v.v }

func (n *name) value(_ *run, s *scope) any { return s.get(n.name) }

func (c *choice) value(r *run, s *scope) any {
	switch {
	case truth(r.eval(c.when, s)):
		return r.eval(c.then, s)
	case c.otherwise == nil:
		return &undefined{"the value of an if without else"}
	}
	return r.eval(c.otherwise, s)
}

func (l *logic) value(r *run, s *scope) any {
	if a := r.eval(l.a, s); truth(a) == l.or {
		return a
	}
	return r.eval(l.b, s)
}

func (n *negation) value(r *run, s *scope) any { return !truth(r.eval(n.of, s)) }

func (c *comparison) value(r *run, s *scope) any {
	a := r.eval(c.first, s)
	for _, one := range c.rest {
		b := r.eval(one.with, s)
		if !r.compare(one.operator, a, b) {
			return false
		}
		a = b
	}
	return true
}

func (r *run) compare(operator string, a, b any) bool {
	a, b = plainOf(a), plainOf(b)
	r.work(a)
	r.work(b)
	switch operator {
	case "==":
		return r.same(a, b)
	case "!=":
		return !r.same(a, b)
	case "in":
		return r.contains(b, a)
	case "not in":
		return !r.contains(b, a)
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		return less(a, b) || r.same(a, b)
	}
	return less(b, a) || r.same(a, b)
}

func (b *binary) value(r *run, s *scope) any {
	x := r.eval(b.a, s)
	return r.operate(b.operator, x, r.eval(b.b, s))
}

func (u *unary) value(r *run, s *scope) any {
	v := r.eval(u.of, s)
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
	fail("%s has no sign", typeName(v))
	return nil
}

func (l *list) value(r *run, s *scope) any {
	items := make([]any, len(l.items))
	for i, e := range l.items {
		items[i] = r.eval(e, s)
	}
	r.charge(16 * len(items))
	if l.fixed {
		return tuple(items)
	}
	return items
}

func (d *dict) value(r *run, s *scope) any {
	out := pyvalue.NewDict()
	for i, e := range d.keys {
		key, ok := r.eval(e, s).(string)
		if !ok {
			fail("a key of a dict is no text: that is not supported")
		}
		out.Set(key, r.eval(d.values[i], s))
	}
	r.charge(64 * len(d.keys))
	return out
}

func (a *attribute) value(r *run, s *scope) any { return attributeOf(plainOf(r.eval(a.of, s)), a.name) }

func (i *item) value(r *run, s *scope) any {
	of := plainOf(r.eval(i.of, s))
	return r.itemOf(of, plainOf(r.eval(i.with, s)))
}

func (l *slice) value(r *run, s *scope) any {
	of := plainOf(r.eval(l.of, s))
	var parts [3]any
	for i, e := range l.parts {
		if e != nil {
			parts[i] = r.eval(e, s)
		}
	}
	return r.cut(of, parts)
}

// given are the arguments of a call.
type given struct {
	places []any
	named  map[string]any
}

func (r *run) given(a arguments, s *scope) (g given) {
	for _, e := range a.places {
		g.places = append(g.places, plainOf(r.eval(e, s)))
	}
	for i, e := range a.named {
		if g.named == nil {
			g.named = map[string]any{}
		}
		g.named[a.names[i]] = plainOf(r.eval(e, s))
	}
	return g
}

// take gives arguments to parameters, by place or name; those that are not given are absent.
func (g given) take(of string, names ...string) []any {
	if len(g.places) > len(names) {
		fail("%s takes %d arguments, and has %d", of, len(names), len(g.places))
	}
	out, used := make([]any, len(names)), 0
	for i, name := range names {
		v, named := g.named[name]
		switch {
		case i < len(g.places) && named:
			fail("%s has its argument %s twice", of, name)
		case i < len(g.places):
			out[i] = g.places[i]
		case named:
			out[i] = v
			used++
		default:
			out[i] = absent{}
		}
	}
	if used < len(g.named) {
		fail("%s has an argument that it does not know", of)
	}
	return out
}

// absent stands for an argument that is not given.
type absent struct{}

// or is an argument, or its default.
func or(v, otherwise any) any {
	if _, none := v.(absent); none {
		return otherwise
	}
	return v
}

// textOf is an argument that must be a text.
func textOf(of string, v any) string {
	t, ok := v.(string)
	if !ok {
		fail("%s wants a text, found %s", of, typeName(v))
	}
	return t
}

// wholeOf is an argument that must be a whole number.
func wholeOf(of string, v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case bool:
		if n {
			return 1
		}
		return 0
	}
	fail("%s wants a whole number, found %s", of, typeName(v))
	return 0
}

// function is one that can be called.
type function func(r *run, a given) any

func (c *call) value(r *run, s *scope) any {
	f := r.eval(c.of, s)
	a := r.given(c.with, s)
	switch f := f.(type) {
	case function:
		return f(r, a)
	case *closure:
		return f.call(r, a)
	case *undefined:
		fail("%s is undefined", f.name)
	}
	fail("%s cannot be called", typeName(f))
	return nil
}

func (f *filtered) value(r *run, s *scope) any { return r.filter(f, r.eval(f.of, s), s) }

func (r *run) filter(f *filtered, v any, s *scope) any {
	filter, ok := filters[f.name]
	if !ok {
		fail("no filter is named %q", f.name)
	}
	r.work(v)
	return filter(r, plainOf(v), r.given(f.with, s))
}

// through gives a value to filters, one after the other.
func (r *run) through(e expression, v any, s *scope) any {
	f, ok := e.(*filtered)
	if !ok {
		return v
	}
	r.step()
	return r.filter(f, r.through(f.of, v, s), s)
}

func (t *tested) value(r *run, s *scope) any {
	v := r.eval(t.of, s)
	return r.test(t.name, v, r.given(t.with, s)) != t.not
}

func (r *run) test(name string, v any, a given) bool {
	test, ok := tests[name]
	if !ok {
		fail("no test is named %q", name)
	}
	return test(r, plainOf(v), a)
}
