package jinja

// statement is a part of a template that writes output or has an effect.
type statement interface {
	run(r *rendering, s *nameScope)
}

type textStatement string

func (t textStatement) run(r *rendering, _ *nameScope) {
	r.countStep()
	r.writeText(string(t))
}

// printStatement writes the value of an expression.
type printStatement struct {
	line  int
	value expression
}

func (p *printStatement) run(r *rendering, s *nameScope) {
	defer withLine(p.line)
	r.writeText(r.toText(r.evaluate(p.value, s)))
}

// withLine adds the line of the statement to a panicking templateError without a line.
func withLine(line int) {
	switch v := recover().(type) {
	case nil:
	case *templateError:
		if v.line == 0 {
			v.line = line
		}
		panic(v)
	default:
		panic(v)
	}
}

// blockStatement runs statements in the enclosing scope.
type blockStatement struct{ body []statement }

func (b *blockStatement) run(r *rendering, s *nameScope) {
	r.writeText(r.captureText(b.body, s.newInner()))
}

type filterBlock struct {
	line    int
	filters expression
	body    []statement
}

func (f *filterBlock) run(r *rendering, s *nameScope) {
	defer withLine(f.line)
	r.writeText(r.toText(r.applyFilters(f.filters, r.captureText(f.body, s.newInner()), s)))
}

type loopControlStatement loopControl

func (l loopControlStatement) run(r *rendering, _ *nameScope) { r.flow = loopControl(l) }

type ifStatement struct {
	line            int
	condition       expression
	then, otherwise []statement
}

func (c *ifStatement) run(r *rendering, s *nameScope) {
	if c.isConditionTrue(r, s) {
		r.executeAll(c.then, s)
		return
	}
	r.executeAll(c.otherwise, s)
}

func (c *ifStatement) isConditionTrue(r *rendering, s *nameScope) bool {
	defer withLine(c.line)
	return isTrue(r.evaluate(c.condition, s))
}

// assignName is a name, or an attribute of the namespace with this name.
type assignName struct{ name, attribute string }

// assignTarget contains the names that receive a value, or the parts of one.
type assignTarget struct {
	names   []assignName
	unpacks bool
}

func (t assignTarget) assignValue(r *rendering, s *nameScope, v any) {
	if !t.unpacks {
		t.names[0].assignValue(s, v)
		return
	}
	parts := r.iterateValues(v)
	if len(parts) != len(t.names) {
		failf("%d values for %d names", len(parts), len(t.names))
	}
	for i, p := range t.names {
		p.assignValue(s, parts[i])
	}
}

func (p assignName) assignValue(s *nameScope, v any) {
	if p.attribute == "" {
		s.setName(p.name, v)
		return
	}
	n, ok := s.lookupName(p.name).(*namespace)
	if !ok {
		failf("%s is no namespace: its attributes cannot be set", p.name)
	}
	n.setAttribute(p.attribute, v)
}

type setStatement struct {
	line    int
	target  assignTarget
	value   expression // nil: body is the value
	filters expression // of the body; nil: no filters
	body    []statement
}

func (a *setStatement) run(r *rendering, s *nameScope) {
	defer withLine(a.line)
	r.countStep()
	if a.value != nil {
		a.target.assignValue(r, s, r.evaluate(a.value, s))
		return
	}
	var v any = r.captureText(a.body, s.newInner())
	if a.filters != nil {
		v = r.applyFilters(a.filters, v, s)
	}
	a.target.assignValue(r, s, v)
}

type forStatement struct {
	line             int
	target           assignTarget
	iterable, filter expression // filter is nil if there is none
	recursive        bool
	body, otherwise  []statement
}

// loopValues returns the values of a loop that its filter accepts.
func (l *forStatement) loopValues(r *rendering, s *nameScope) []any {
	defer withLine(l.line)
	all := r.iterateValues(r.evaluate(l.iterable, s))
	if l.filter == nil {
		return all
	}
	var left []any
	for _, v := range all {
		inner := s.newInner()
		l.target.assignValue(r, inner, v)
		if isTrue(r.evaluate(l.filter, inner)) {
			left = append(left, v)
		}
	}
	return left
}

func (l *forStatement) run(r *rendering, s *nameScope) {
	defer r.enterNested()()
	all := l.loopValues(r, s)
	if len(all) == 0 {
		r.executeAll(l.otherwise, s.newInner())
		return
	}
	for i, v := range all {
		r.countStep()
		inner := s.newInner()
		inner.setName("loop", &loopVariable{all: all, i: i})
		l.bindTargets(r, inner, v)
		r.executeAll(l.body, inner)
		if leaves := r.flow; leaves != flowNext {
			if r.flow = flowNext; leaves == flowBreak {
				return
			}
		}
	}
}

func (l *forStatement) bindTargets(r *rendering, s *nameScope, v any) {
	defer withLine(l.line)
	l.target.assignValue(r, s, v)
}

// loopVariable is the value of the name loop.
type loopVariable struct {
	all []any
	i   int
}

func (l *loopVariable) attribute(name string) (any, bool) {
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

// namespace is an object with attributes that a template may set.
type namespace struct{ names map[string]any }

func (n *namespace) setAttribute(name string, v any) { n.names[name] = v }

type macroStatement struct {
	line     int
	name     string
	names    []string
	defaults []expression // nil: no default
	body     []statement
}

func (m *macroStatement) run(_ *rendering, s *nameScope) { s.setName(m.name, &closure{m, s}) }

// closure is a macro and its enclosing scope.
type closure struct {
	macro *macroStatement
	scope *nameScope
}

func (c *closure) call(r *rendering, a callArguments) any {
	defer r.enterNested()()
	r.countStep()
	s := c.scope.newInner()
	if len(a.positional) > len(c.macro.names) {
		failf("the macro %s takes %d arguments, and has %d", c.macro.name, len(c.macro.names), len(a.positional))
	}
	used := 0
	for i, name := range c.macro.names {
		v, named := a.named[name]
		switch {
		case i < len(a.positional) && named:
			failf("the macro %s has its argument %s twice", c.macro.name, name)
		case i < len(a.positional):
			v = a.positional[i]
		case named:
			used++
		case c.macro.defaults[i] != nil:
			v = r.evaluate(c.macro.defaults[i], s)
		default:
			v = &undefined{name}
		}
		s.setName(name, v)
	}
	if used < len(a.named) {
		failf("the macro %s has an argument that it does not know", c.macro.name)
	}
	flow := r.flow
	text := r.captureText(c.macro.body, s)
	r.flow = flow
	return text
}
