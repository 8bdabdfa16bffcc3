package jinja

// expression reads a conditional expression: the one that binds least.
func (p *parser) expression() expression {
	defer p.deeper()()
	e := p.or()
	for p.take("if") {
		c := &choice{line: p.now().line, then: e, when: p.or()}
		if p.take("else") {
			c.otherwise = p.expression()
		}
		e = c
	}
	return e
}

// tuple reads an expression, or several with commas between.
func (p *parser) tuple(conditional bool) expression {
	one := p.or
	if conditional {
		one = p.expression
	}
	line := p.now().line
	first := one()
	if !p.is(",") {
		return first
	}
	l := &list{line: line, items: []expression{first}, fixed: true}
	for p.take(",") {
		if k := p.now().kind; k == tokBlockEnd || k == tokPrintEnd || p.is(")") || p.is("=") {
			break
		}
		l.items = append(l.items, one())
	}
	return l
}

func (p *parser) or() expression {
	defer p.deeper()()
	e := p.and()
	for p.take("or") {
		e = &logic{a: e, b: p.and(), or: true}
	}
	return e
}

func (p *parser) and() expression {
	e := p.not()
	for p.take("and") {
		e = &logic{a: e, b: p.not()}
	}
	return e
}

func (p *parser) not() expression {
	if p.take("not") {
		defer p.deeper()()
		return &negation{p.not()}
	}
	return p.comparison()
}

// comparisons are the operators of comparisons that are one token.
var comparisons = []string{"==", "!=", "<=", ">=", "<", ">", "in"}

func (p *parser) comparison() expression {
	c := &comparison{line: p.now().line, first: p.sum()}
next:
	for {
		for _, o := range comparisons {
			if p.take(o) {
				c.rest = append(c.rest, compared{o, p.sum()})
				continue next
			}
		}
		if p.word("not") && p.tokens[p.at+1].kind == tokName && p.tokens[p.at+1].text == "in" {
			p.at += 2
			c.rest = append(c.rest, compared{"not in", p.sum()})
			continue
		}
		if c.rest == nil {
			return c.first
		}
		return c
	}
}

// binary reads operators of one rank, from left to right.
func (p *parser) binary(operand func() expression, operators ...string) expression {
	e := operand()
next:
	for {
		for _, o := range operators {
			if line := p.now().line; p.is(o) {
				p.next()
				e = &binary{line, o, e, operand()}
				continue next
			}
		}
		return e
	}
}

func (p *parser) sum() expression { return p.binary(p.concatenation, "+", "-") }

func (p *parser) concatenation() expression { return p.binary(p.product, "~") }

func (p *parser) product() expression { return p.binary(p.power, "*", "//", "/", "%") }

func (p *parser) power() expression {
	return p.binary(func() expression { return p.unary(true) }, "**")
}

func (p *parser) unary(filtered bool) expression {
	defer p.deeper()()
	var e expression
	switch line := p.now().line; {
	case p.take("-"):
		e = &unary{line, true, p.unary(false)}
	case p.take("+"):
		e = &unary{line, false, p.unary(false)}
	default:
		e = p.primary()
	}
	e = p.postfix(e)
	if filtered {
		e = p.filtered(e)
	}
	return e
}

// constants are the names of values.
var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) primary() expression {
	t := p.next()
	switch t.kind {
	case tokName:
		if v, ok := constants[t.text]; ok {
			return value{v}
		}
		return &name{t.line, t.text}
	case tokString:
		text := t.text
		for p.now().kind == tokString {
			text += p.next().text
		}
		return value{text}
	case tokInt, tokFloat:
		return value{t.value}
	case tokOperator:
		switch t.text {
		case "(":
			return p.parentheses(t.line)
		case "[":
			return p.list(t.line)
		case "{":
			return p.dict(t.line)
		}
	}
	p.at--
	p.unexpected("a value")
	return nil
}

func (p *parser) parentheses(line int) expression {
	if p.take(")") {
		return &list{line: line, fixed: true}
	}
	e := p.tuple(true)
	p.want(")")
	return e
}

func (p *parser) list(line int) expression {
	l := &list{line: line}
	for !p.take("]") {
		if len(l.items) > 0 {
			if p.want(","); p.take("]") {
				break
			}
		}
		l.items = append(l.items, p.expression())
	}
	return l
}

func (p *parser) dict(line int) expression {
	d := &dict{line: line}
	for !p.take("}") {
		if len(d.keys) > 0 {
			if p.want(","); p.take("}") {
				break
			}
		}
		d.keys = append(d.keys, p.expression())
		p.want(":")
		d.values = append(d.values, p.expression())
	}
	return d
}

// postfix reads attributes, items and calls.
func (p *parser) postfix(e expression) expression {
	for {
		switch line := p.now().line; {
		case p.take("."):
			t := p.next()
			switch t.kind {
			case tokName:
				e = &attribute{line, e, t.text}
			case tokInt:
				e = &item{line, e, value{t.value}}
			default:
				p.at--
				p.unexpected("the name of an attribute")
			}
		case p.take("["):
			e = p.subscript(line, e)
		case p.is("("):
			e = &call{line, e, p.arguments()}
		default:
			return e
		}
	}
}

func (p *parser) subscript(line int, of expression) expression {
	var parts [3]expression
	colons := 0
	for !p.take("]") {
		switch {
		case p.take(":"):
			if colons++; colons > 2 {
				p.fail("a slice has at most two colons")
			}
		case parts[colons] != nil:
			p.unexpected("]")
		default:
			parts[colons] = p.expression()
		}
	}
	if colons > 0 {
		return &slice{line, of, parts}
	}
	if parts[0] == nil {
		p.fail("an item without its place")
	}
	return &item{line, of, parts[0]}
}

func (p *parser) arguments() (a arguments) {
	p.want("(")
	for n := 0; !p.take(")"); n++ {
		if n > 0 {
			if p.want(","); p.take(")") {
				break
			}
		}
		if p.is("*") || p.is("**") {
			p.fail("arguments by * are not supported")
		}
		if t := p.now(); t.kind == tokName && p.tokens[p.at+1].kind == tokOperator && p.tokens[p.at+1].text == "=" {
			p.at += 2
			a.names = append(a.names, t.text)
			a.named = append(a.named, p.expression())
			continue
		}
		if len(a.names) > 0 {
			p.fail("an argument without a name behind one that has one")
		}
		a.places = append(a.places, p.expression())
	}
	return a
}

// filtered reads filters, tests and calls behind a value.
func (p *parser) filtered(e expression) expression {
	for {
		switch {
		case p.is("|"):
			e = p.filters(e)
		case p.word("is"):
			e = p.test(e)
		case p.is("("):
			e = &call{p.now().line, e, p.arguments()}
		default:
			return e
		}
	}
}

// dotted is a name, with the names behind its dots.
func (p *parser) dotted(what string) string {
	text := p.wantKind(tokName, what).text
	for p.take(".") {
		text += "." + p.wantKind(tokName, what).text
	}
	return text
}

// filters reads one filter after the other; in the block filter the first has no | before it.
func (p *parser) filters(e expression) expression {
	for first := true; p.take("|") || first && p.now().kind == tokName; first = false {
		f := &filtered{line: p.now().line, of: e}
		if f.name = p.dotted("the name of a filter"); p.is("(") {
			f.with = p.arguments()
		}
		e = f
	}
	return e
}

func (p *parser) test(e expression) expression {
	p.want("is")
	t := &tested{line: p.now().line, of: e, not: p.take("not")}
	t.name = p.dotted("the name of a test")
	switch now := p.now(); {
	case p.is("("):
		t.with = p.arguments()
	case now.kind == tokString || now.kind == tokInt || now.kind == tokFloat || p.is("[") || p.is("{"),
		now.kind == tokName && now.text != "else" && now.text != "or" && now.text != "and" && now.text != "is" &&
			now.text != "if" && now.text != "in" && now.text != "not":
		t.with.places = []expression{p.postfix(p.primary())}
	}
	return t
}
