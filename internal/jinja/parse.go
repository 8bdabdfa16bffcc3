package jinja

import (
	"fmt"
	"slices"
)

// parser builds statements from tokens.
type parser struct {
	tokens []token
	pos    int
	depth  int
	loops  int
}

func (p *parser) currentToken() token { return p.tokens[p.pos] }

func (p *parser) nextToken() token {
	t := p.tokens[p.pos]
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// isOperator reports whether the next token is this operator.
func (p *parser) isOperator(operator string) bool {
	return p.currentToken().kind == tokOperator && p.currentToken().text == operator
}

// isName reports whether the next token is this name.
func (p *parser) isName(name string) bool {
	return p.currentToken().kind == tokName && p.currentToken().text == name
}

// takeToken skips an operator or a name if it is the next token.
func (p *parser) takeToken(text string) bool {
	if !p.isOperator(text) && !p.isName(text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) requireToken(text string) {
	if !p.takeToken(text) {
		p.failUnexpected(fmt.Sprintf("%q", text))
	}
}

func (p *parser) requireKind(k tokenKind, what string) token {
	if p.currentToken().kind != k {
		p.failUnexpected(what)
	}
	return p.nextToken()
}

func (p *parser) fail(format string, args ...any) {
	panic(&templateError{p.currentToken().line, fmt.Sprintf(format, args...)})
}

func (p *parser) failUnexpected(want string) {
	found := map[tokenKind]string{tokEnd: "the end of the template", tokText: "text", tokPrint: "{{", tokPrintEnd: "}}",
		tokBlock: "{%", tokBlockEnd: "%}"}[p.currentToken().kind]
	if found == "" {
		found = fmt.Sprintf("%q", p.currentToken().text)
	}
	p.fail("found %s, want %s", found, want)
}

// enterNested counts one level of nesting until the returned function is called.
func (p *parser) enterNested() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("the template goes deeper than %d", maxDepth)
	}
	return func() { p.depth-- }
}

// parseStatements parses up to a block with one of the names in ends, which it does not consume, or to the end.
func (p *parser) parseStatements(ends ...string) (all []statement) {
	defer p.enterNested()()
	for {
		switch t := p.currentToken(); t.kind {
		case tokText:
			p.nextToken()
			all = append(all, textStatement(t.text))
		case tokPrint:
			p.nextToken()
			all = append(all, &printStatement{t.line, p.parseTuple(true)})
			p.requireKind(tokPrintEnd, "}}")
		case tokBlock:
			name := p.tokens[p.pos+1]
			if name.kind == tokName && slices.Contains(ends, name.text) {
				return all
			}
			p.nextToken()
			all = append(all, p.parseBlock())
		default:
			if len(ends) > 0 {
				p.failUnexpected(fmt.Sprintf("{%% %s %%}", ends[len(ends)-1]))
			}
			return all
		}
	}
}

// parseBody parses statements up to the block end, and that block.
func (p *parser) parseBody(end string) []statement {
	p.endBlock()
	all := p.parseStatements(end)
	p.pos += 2
	return all
}

func (p *parser) endBlock() { p.requireKind(tokBlockEnd, "%}") }

func (p *parser) parseBlock() statement {
	t := p.requireKind(tokName, "the name of a statement")
	s := p.parseStatement(t)
	p.endBlock()
	return s
}

func (p *parser) parseStatement(t token) statement {
	switch t.text {
	case "if":
		return p.parseIf(t.line)
	case "for":
		return p.parseFor(t.line)
	case "set":
		return p.parseSet(t.line)
	case "macro":
		return p.parseMacro(t.line)
	case "generation":
		return &blockStatement{p.parseBody("endgeneration")}
	case "filter":
		f := &filterBlock{line: t.line, filters: p.parseFilters(literal{})}
		f.body = p.parseBody("endfilter")
		return f
	case "break", "continue":
		if p.loops == 0 {
			p.fail("%s outside of a loop", t.text)
		}
		return loopControlStatement(map[string]loopControl{"break": flowBreak, "continue": flowContinue}[t.text])
	}
	p.pos--
	p.fail("the statement %q is unknown or not supported", t.text)
	return nil
}

func (p *parser) parseIf(line int) statement {
	c := &ifStatement{line: line, condition: p.parseTuple(false)}
	p.endBlock()
	c.then = p.parseStatements("elif", "else", "endif")
	p.nextToken()
	switch p.nextToken().text {
	case "elif":
		defer p.enterNested()()
		c.otherwise = []statement{p.parseIf(p.currentToken().line)}
	case "else":
		c.otherwise = p.parseBody("endif")
	}
	return c
}

func (p *parser) parseFor(line int) statement {
	l := &forStatement{line: line, target: p.parseTargets()}
	p.requireToken("in")
	l.iterable = p.parseTuple(false)
	if p.takeToken("if") {
		l.filter = p.parseExpression()
	}
	if l.recursive = p.takeToken("recursive"); l.recursive {
		p.fail("recursive loops are not supported")
	}
	p.endBlock()
	p.loops++
	l.body = p.parseStatements("else", "endfor")
	p.loops--
	if p.nextToken(); p.nextToken().text == "else" {
		l.otherwise = p.parseBody("endfor")
	}
	return l
}

// parseTargets parses the names on the left of an assignment: one, or several to unpack a value.
func (p *parser) parseTargets() assignTarget {
	var t assignTarget
	closing := p.takeToken("(")
	for {
		name := p.requireKind(tokName, "a name")
		one := assignName{name: name.text}
		if p.takeToken(".") {
			one.attribute = p.requireKind(tokName, "an attribute of a namespace").text
		}
		t.names = append(t.names, one)
		if !p.takeToken(",") {
			break
		}
		if t.unpacks = true; p.isName("in") || p.isOperator("=") {
			break
		}
	}
	if closing {
		p.requireToken(")")
	}
	return t
}

func (p *parser) parseSet(line int) statement {
	a := &setStatement{line: line, target: p.parseTargets()}
	if p.takeToken("=") {
		a.value = p.parseTuple(true)
		return a
	}
	if len(a.target.names) > 1 {
		p.failUnexpected("=")
	}
	if p.isOperator("|") {
		a.filters = p.parseFilters(literal{})
	}
	a.body = p.parseBody("endset")
	return a
}

func (p *parser) parseMacro(line int) statement {
	m := &macroStatement{line: line, name: p.requireKind(tokName, "the macro's name").text}
	p.requireToken("(")
	for !p.takeToken(")") {
		if len(m.names) > 0 {
			p.requireToken(",")
		}
		m.names = append(m.names, p.requireKind(tokName, "the name of an argument").text)
		var v expression
		if p.takeToken("=") {
			v = p.parseExpression()
		} else if len(m.defaults) > 0 && m.defaults[len(m.defaults)-1] != nil {
			p.fail("an argument without a default behind one that has one")
		}
		m.defaults = append(m.defaults, v)
	}
	loops := p.loops
	p.loops = 0
	m.body = p.parseBody("endmacro")
	p.loops = loops
	return m
}
