package jinja

import (
	"fmt"
	"slices"
)

// parser makes statements of tokens.
type parser struct {
	tokens []token
	at     int
	depth  int
	loops  int
}

func (p *parser) now() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEnd {
		p.at++
	}
	return t
}

// is tells whether an operator stands next.
func (p *parser) is(operator string) bool {
	return p.now().kind == tokOperator && p.now().text == operator
}

// word tells whether a name stands next.
func (p *parser) word(name string) bool { return p.now().kind == tokName && p.now().text == name }

// take steps over an operator or a name, if it stands next.
func (p *parser) take(text string) bool {
	if !p.is(text) && !p.word(text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) want(text string) {
	if !p.take(text) {
		p.unexpected(fmt.Sprintf("%q", text))
	}
}

func (p *parser) wantKind(k kind, what string) token {
	if p.now().kind != k {
		p.unexpected(what)
	}
	return p.next()
}

func (p *parser) fail(format string, args ...any) {
	panic(&fault{p.now().line, fmt.Sprintf(format, args...)})
}

func (p *parser) unexpected(want string) {
	found := map[kind]string{tokEnd: "the end of the template", tokText: "text", tokPrint: "{{", tokPrintEnd: "}}",
		tokBlock: "{%", tokBlockEnd: "%}"}[p.now().kind]
	if found == "" {
		found = fmt.Sprintf("%q", p.now().text)
	}
	p.fail("found %s, want %s", found, want)
}

// deeper counts what lies in one another until the function that it returns is called.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("the template goes deeper than %d", maxDepth)
	}
	return func() { p.depth-- }
}

// statements reads up to a block with one of the names, which stays, or to the end.
func (p *parser) statements(ends ...string) (all []statement) {
	defer p.deeper()()
	for {
		switch t := p.now(); t.kind {
		case tokText:
			p.next()
			all = append(all, text(t.text))
		case tokPrint:
			p.next()
			all = append(all, &printed{t.line, p.tuple(true)})
			p.wantKind(tokPrintEnd, "}}")
		case tokBlock:
			name := p.tokens[p.at+1]
			if name.kind == tokName && slices.Contains(ends, name.text) {
				return all
			}
			p.next()
			all = append(all, p.block())
		default:
			if len(ends) > 0 {
				p.unexpected(fmt.Sprintf("{%% %s %%}", ends[len(ends)-1]))
			}
			return all
		}
	}
}

// body reads statements up to a block, and the block.
func (p *parser) body(end string) []statement {
	p.endBlock()
	all := p.statements(end)
	p.at += 2
	return all
}

func (p *parser) endBlock() { p.wantKind(tokBlockEnd, "%}") }

func (p *parser) block() statement {
	t := p.wantKind(tokName, "the name of a statement")
	s := p.statement(t)
	p.endBlock()
	return s
}

func (p *parser) statement(t token) statement {
	switch t.text {
	case "if":
		return p.condition(t.line)
	case "for":
		return p.loop(t.line)
	case "set":
		return p.assignment(t.line)
	case "macro":
		return p.macro(t.line)
	case "generation":
		return &block{p.body("endgeneration")}
	case "filter":
		f := &filterBlock{line: t.line, filters: p.filters(value{})}
		f.body = p.body("endfilter")
		return f
	case "break", "continue":
		if p.loops == 0 {
			p.fail("%s outside of a loop", t.text)
		}
		return leave(map[string]flow{"break": breaks, "continue": continues}[t.text])
	}
	p.at--
	p.fail("the statement %q is unknown or not supported", t.text)
	return nil
}

func (p *parser) condition(line int) statement {
	c := &condition{line: line, when: p.tuple(false)}
	p.endBlock()
	c.then = p.statements("elif", "else", "endif")
	p.next()
	switch p.next().text {
	case "elif":
		defer p.deeper()()
		c.otherwise = []statement{p.condition(p.now().line)}
	case "else":
		c.otherwise = p.body("endif")
	}
	return c
}

func (p *parser) loop(line int) statement {
	l := &loop{line: line, target: p.targets()}
	p.want("in")
	l.over = p.tuple(false)
	if p.take("if") {
		l.filter = p.expression()
	}
	if l.recursive = p.take("recursive"); l.recursive {
		p.fail("recursive loops are not supported")
	}
	p.endBlock()
	p.loops++
	l.body = p.statements("else", "endfor")
	p.loops--
	if p.next(); p.next().text == "else" {
		l.otherwise = p.body("endfor")
	}
	return l
}

// targets are names that values are given to: one, or several for the parts of a value.
func (p *parser) targets() target {
	var t target
	closing := p.take("(")
	for {
		name := p.wantKind(tokName, "a name")
		one := place{name: name.text}
		if p.take(".") {
			one.attribute = p.wantKind(tokName, "an attribute of a namespace").text
		}
		t.places = append(t.places, one)
		if !p.take(",") {
			break
		}
		if t.several = true; p.word("in") || p.is("=") {
			break
		}
	}
	if closing {
		p.want(")")
	}
	return t
}

func (p *parser) assignment(line int) statement {
	a := &assignment{line: line, target: p.targets()}
	if p.take("=") {
		a.value = p.tuple(true)
		return a
	}
	if len(a.target.places) > 1 {
		p.unexpected("=")
	}
	if p.is("|") {
		a.filters = p.filters(value{})
	}
	a.body = p.body("endset")
	return a
}

func (p *parser) macro(line int) statement {
	m := &macro{line: line, name: p.wantKind(tokName, "the macro's name").text}
	p.want("(")
	for !p.take(")") {
		if len(m.names) > 0 {
			p.want(",")
		}
		m.names = append(m.names, p.wantKind(tokName, "the name of an argument").text)
		var v expression
		if p.take("=") {
			v = p.expression()
		} else if len(m.defaults) > 0 && m.defaults[len(m.defaults)-1] != nil {
			p.fail("an argument without a default behind one that has one")
		}
		m.defaults = append(m.defaults, v)
	}
	loops := p.loops
	p.loops = 0
	m.body = p.body("endmacro")
	p.loops = loops
	return m
}
