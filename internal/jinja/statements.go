package jinja

import "github.com/plumbline-ml/plumbline/internal/pyvalue"

// statement is a part of a template that is written or does something.
type statement interface{ run(r *run, s *scope) }

type text string

func (t text) run(r *run, _ *scope) {
	r.step()
	r.write(string(t))
}

// printed is a value that is written.
type printed struct {
	line  int
	value expression
}

func (p *printed) run(r *run, s *scope) {
	defer at(p.line)
	r.write(r.str(r.eval(p.value, s)))
}

// at gives an error the line of its statement, unless it has one.
func at(line int) {
	switch v := recover().(type) {
	case nil:
	case *fault:
		if v.line == 0 {
			v.line = line
		}
		panic(v)
	default:
		panic(v)
	}
}

// block is statements in the scope around them.
type block struct{ body []statement }

func (b *block) run(r *run, s *scope) { r.write(r.capture(b.body, s.inner())) }

type filterBlock struct {
	line    int
	filters expression
	body    []statement
}

func (f *filterBlock) run(r *run, s *scope) {
	defer at(f.line)
	r.write(r.str(r.through(f.filters, r.capture(f.body, s.inner()), s)))
}

type leave flow

func (l leave) run(r *run, _ *scope) { r.flow = flow(l) }

type condition struct {
	line            int
	when            expression
	then, otherwise []statement
}

func (c *condition) run(r *run, s *scope) {
	if c.holds(r, s) {
		r.all(c.then, s)
		return
	}
	r.all(c.otherwise, s)
}

func (c *condition) holds(r *run, s *scope) bool {
	defer at(c.line)
	return truth(r.eval(c.when, s))
}

// place is a name, or an attribute of the namespace that has the name.
type place struct{ name, attribute string }

// target are places: of a value, or of its parts.
type target struct {
	places  []place
	several bool
}

func (t target) give(r *run, s *scope, v any) {
	if !t.several {
		t.places[0].give(s, v)
		return
	}
	parts := r.items(v)
	if len(parts) != len(t.places) {
		fail("%d values for %d names", len(parts), len(t.places))
	}
	for i, p := range t.places {
		p.give(s, parts[i])
	}
}

func (p place) give(s *scope, v any) {
	if p.attribute == "" {
		s.set(p.name, v)
		return
	}
	n, ok := s.get(p.name).(*namespace)
	if !ok {
		fail("%s is no namespace: its attributes cannot be set", p.name)
	}
	n.set(p.attribute, v)
}

type assignment struct {
	line    int
	target  target
	value   expression // nil: body is the value
	filters expression // of the body; nil: none
	body    []statement
}

func (a *assignment) run(r *run, s *scope) {
	defer at(a.line)
	r.step()
	if a.value != nil {
		a.target.give(r, s, r.eval(a.value, s))
		return
	}
	var v any = r.capture(a.body, s.inner())
	if a.filters != nil {
		v = r.through(a.filters, v, s)
	}
	a.target.give(r, s, v)
}

type loop struct {
	line            int
	target          target
	over, filter    expression // filter is nil where there is none
	recursive       bool
	body, otherwise []statement
}

// rounds are the values of a loop, those that its filter leaves.
func (l *loop) rounds(r *run, s *scope) []any {
	defer at(l.line)
	all := r.items(r.eval(l.over, s))
	if l.filter == nil {
		return all
	}
	var left []any
	for _, v := range all {
		inner := s.inner()
		l.target.give(r, inner, v)
		if truth(r.eval(l.filter, inner)) {
			left = append(left, v)
		}
	}
	return left
}

func (l *loop) run(r *run, s *scope) {
	defer r.deeper()()
	all := l.rounds(r, s)
	if len(all) == 0 {
		r.all(l.otherwise, s.inner())
		return
	}
	for i, v := range all {
		r.step()
		inner := s.inner()
		inner.set("loop", &round{all: all, i: i})
		l.enter(r, inner, v)
		r.all(l.body, inner)
		if leaves := r.flow; leaves != goesOn {
			if r.flow = goesOn; leaves == breaks {
				return
			}
		}
	}
}

func (l *loop) enter(r *run, s *scope, v any) {
	defer at(l.line)
	l.target.give(r, s, v)
}

// round is the value of the name loop.
type round struct {
	all []any
	i   int
}

func (l *round) attribute(name string) (any, bool) {
	n := len(l.all)
	neighbour := func(i int) any {
		if i < 0 || i >= n {
			return &undefined{"loop." + name}
		}
		return l.all[i]
	}
	switch name {
	case "index":
		return int64(l.i + 1), true
	case "index0":
		return int64(l.i), true
	case "revindex":
		return int64(n - l.i), true
	case "revindex0":
		return int64(n - l.i - 1), true
	case "first":
		return l.i == 0, true
	case "last":
		return l.i == n-1, true
	case "length":
		return int64(n), true
	case "previtem":
		return neighbour(l.i - 1), true
	case "nextitem":
		return neighbour(l.i + 1), true
	}
	return nil, false
}

// namespace is an object whose attributes a template may set.
type namespace struct{ names map[string]any }

func (n *namespace) set(name string, v any) { n.names[name] = v }

type macro struct {
	line     int
	name     string
	names    []string
	defaults []expression // nil where there is none
	body     []statement
}

func (m *macro) run(_ *run, s *scope) { s.set(m.name, &closure{m, s}) }

// closure is a macro with the names around it.
type closure struct {
	macro *macro
	scope *scope
}

func (c *closure) call(r *run, a given) any {
	defer r.deeper()()
	r.step()
	s := c.scope.inner()
	if len(a.places) > len(c.macro.names) {
		fail("the macro %s takes %d arguments, and has %d", c.macro.name, len(c.macro.names), len(a.places))
	}
	used := 0
	for i, name := range c.macro.names {
		v, named := a.named[name]
		switch {
		case i < len(a.places) && named:
			fail("the macro %s has its argument %s twice", c.macro.name, name)
		case i < len(a.places):
			v = a.places[i]
		case named:
			used++
		case c.macro.defaults[i] != nil:
			v = r.eval(c.macro.defaults[i], s)
		default:
			v = &undefined{name}
		}
		s.set(name, v)
	}
	if used < len(a.named) {
		fail("the macro %s has an argument that it does not know", c.macro.name)
	}
	flow := r.flow
	text := r.capture(c.macro.body, s)
	r.flow = flow
	return text
}

// newDict is a dict of keys and values in order.
func newDict(keys []string, values []any) *pyvalue.Dict {
	d := pyvalue.NewDict()
	for i, k := range keys {
		d.Set(k, values[i])
	}
	return d
}
