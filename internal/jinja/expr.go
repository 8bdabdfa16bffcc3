package jinja

// parseExpression parses a conditional expression, which has the lowest precedence.
func (p *parser) parseExpression() expression {
	defer p.enterNested()()
	e := p.parseOr()
	for p.takeToken("if") {
		c := &conditionalExpr{line: p.currentToken().line, then: e, condition: p.parseOr()}
		if p.takeToken("else") {
			c.otherwise = p.parseExpression()
		}
		e = c
	}
	return e
}

// parseTuple parses an expression, or several with commas between.
func (p *parser) parseTuple(conditional bool) expression {
	one := p.parseOr
	if conditional {
		one = p.parseExpression
	}
	line := p.currentToken().line
	first := one()
	if !p.isOperator(",") {
		return first
	}
	l := &listExpr{line: line, items: []expression{first}, isTuple: true}
	for p.takeToken(",") {
		if k := p.currentToken().kind; k == tokBlockEnd || k == tokPrintEnd || p.isOperator(")") || p.isOperator("=") {
			break
		}
		l.items = append(l.items, one())
	}
	return l
}

func (p *parser) parseOr() expression {
	defer p.enterNested()()
	e := p.parseAnd()
	for p.takeToken("or") {
		e = &logicExpr{a: e, b: p.parseAnd(), or: true}
	}
	return e
}

func (p *parser) parseAnd() expression {
	e := p.parseNot()
	for p.takeToken("and") {
		e = &logicExpr{a: e, b: p.parseNot()}
	}
	return e
}

func (p *parser) parseNot() expression {
	if p.takeToken("not") {
		defer p.enterNested()()
		return &notExpr{p.parseNot()}
	}
	return p.parseComparison()
}

// comparisons lists the comparison operators that are one token.
var comparisons = []string{"==", "!=", "<=", ">=", "<", ">", "in"}

func (p *parser) parseComparison() expression {
	c := &comparisonExpr{line: p.currentToken().line, first: p.parseSum()}
next:
	for {
		for _, o := range comparisons {
			if p.takeToken(o) {
				c.others = append(c.others, comparedOperand{o, p.parseSum()})
				continue next
			}
		}
		if p.isName("not") && p.tokens[p.pos+1].kind == tokName && p.tokens[p.pos+1].text == "in" {
			p.pos += 2
			c.others = append(c.others, comparedOperand{"not in", p.parseSum()})
			continue
		}
		if c.others == nil {
			return c.first
		}
		return c
	}
}

// parseBinary parses left-associative operators of equal precedence.
func (p *parser) parseBinary(operand func() expression, operators ...string) expression {
	e := operand()
next:
	for {
		for _, o := range operators {
			if line := p.currentToken().line; p.isOperator(o) {
				p.nextToken()
				e = &binaryExpr{line, o, e, operand()}
				continue next
			}
		}
		return e
	}
}

func (p *parser) parseSum() expression { return p.parseBinary(p.parseConcat, "+", "-") }

func (p *parser) parseConcat() expression { return p.parseBinary(p.parseProduct, "~") }

func (p *parser) parseProduct() expression { return p.parseBinary(p.parsePower, "*", "//", "/", "%") }

func (p *parser) parsePower() expression {
	return p.parseBinary(func() expression { return p.parseUnary(true) }, "**")
}

func (p *parser) parseUnary(filtered bool) expression {
	defer p.enterNested()()
	var e expression
	switch line := p.currentToken().line; {
	case p.takeToken("-"):
		e = &unaryExpr{line, true, p.parseUnary(false)}
	case p.takeToken("+"):
		e = &unaryExpr{line, false, p.parseUnary(false)}
	default:
		e = p.parsePrimary()
	}
	e = p.parsePostfix(e)
	if filtered {
		e = p.parseFiltered(e)
	}
	return e
}

// constants maps the names of constants to their values.
var constants = map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}

func (p *parser) parsePrimary() expression {
	t := p.nextToken()
	switch t.kind {
	case tokName:
		if v, ok := constants[t.text]; ok {
			return literal{v}
		}
		return &nameExpr{t.line, t.text}
	case tokString:
		text := t.text
		for p.currentToken().kind == tokString {
			text += p.nextToken().text
		}
		return literal{text}
	case tokInt, tokFloat:
		return literal{t.value}
	case tokOperator:
		switch t.text {
		case "(":
			return p.parseParentheses(t.line)
		case "[":
			return p.parseList(t.line)
		case "{":
			return p.parseDict(t.line)
		}
	}
	p.pos--
	p.failUnexpected("a value")
	return nil
}

func (p *parser) parseParentheses(line int) expression {
	if p.takeToken(")") {
		return &listExpr{line: line, isTuple: true}
	}
	e := p.parseTuple(true)
	p.requireToken(")")
	return e
}

func (p *parser) parseList(line int) expression {
	l := &listExpr{line: line}
	for !p.takeToken("]") {
		if len(l.items) > 0 {
			if p.requireToken(","); p.takeToken("]") {
				break
			}
		}
		l.items = append(l.items, p.parseExpression())
	}
	return l
}

func (p *parser) parseDict(line int) expression {
	d := &dictExpr{line: line}
	for !p.takeToken("}") {
		if len(d.keys) > 0 {
			if p.requireToken(","); p.takeToken("}") {
				break
			}
		}
		d.keys = append(d.keys, p.parseExpression())
		p.requireToken(":")
		d.values = append(d.values, p.parseExpression())
	}
	return d
}

// parsePostfix parses attributes, items and calls.
func (p *parser) parsePostfix(e expression) expression {
	for {
		switch line := p.currentToken().line; {
		case p.takeToken("."):
			t := p.nextToken()
			switch t.kind {
			case tokName:
				e = &attributeExpr{line, e, t.text}
			case tokInt:
				e = &itemExpr{line, e, literal{t.value}}
			default:
				p.pos--
				p.failUnexpected("the name of an attribute")
			}
		case p.takeToken("["):
			e = p.parseSubscript(line, e)
		case p.isOperator("("):
			e = &callExpr{line, e, p.parseArguments()}
		default:
			return e
		}
	}
}

func (p *parser) parseSubscript(line int, of expression) expression {
	var parts [3]expression
	colons := 0
	for !p.takeToken("]") {
		switch {
		case p.takeToken(":"):
			if colons++; colons > 2 {
				p.fail("a slice has at most two colons")
			}
		case parts[colons] != nil:
			p.failUnexpected("]")
		default:
			parts[colons] = p.parseExpression()
		}
	}
	if colons > 0 {
		return &sliceExpr{line, of, parts}
	}
	if parts[0] == nil {
		p.fail("an item without its place")
	}
	return &itemExpr{line, of, parts[0]}
}

func (p *parser) parseArguments() (a argumentExprs) {
	p.requireToken("(")
	for n := 0; !p.takeToken(")"); n++ {
		if n > 0 {
			if p.requireToken(","); p.takeToken(")") {
				break
			}
		}
		if p.isOperator("*") || p.isOperator("**") {
			p.fail("arguments by * are not supported")
		}
		if t := p.currentToken(); t.kind == tokName && p.tokens[p.pos+1].kind == tokOperator &&
			p.tokens[p.pos+1].text == "=" {
			p.pos += 2
			a.names = append(a.names, t.text)
			a.named = append(a.named, p.parseExpression())
			continue
		}
		if len(a.names) > 0 {
			p.fail("an argument without a name behind one that has one")
		}
		a.positional = append(a.positional, p.parseExpression())
	}
	return a
}

// parseFiltered parses filters, tests and calls after a value.
func (p *parser) parseFiltered(e expression) expression {
	for {
		switch {
		case p.isOperator("|"):
			e = p.parseFilters(e)
		case p.isName("is"):
			e = p.parseTest(e)
		case p.isOperator("("):
			e = &callExpr{p.currentToken().line, e, p.parseArguments()}
		default:
			return e
		}
	}
}

// parseDottedName returns a name and the names after its dots.
func (p *parser) parseDottedName(what string) string {
	text := p.requireKind(tokName, what).text
	for p.takeToken(".") {
		text += "." + p.requireKind(tokName, what).text
	}
	return text
}

// parseFilters parses a chain of filters. In the block filter the first has no | before it.
func (p *parser) parseFilters(e expression) expression {
	for first := true; p.takeToken("|") || first && p.currentToken().kind == tokName; first = false {
		f := &filterExpr{line: p.currentToken().line, input: e}
		if f.name = p.parseDottedName("the name of a filter"); p.isOperator("(") {
			f.arguments = p.parseArguments()
		}
		e = f
	}
	return e
}

func (p *parser) parseTest(e expression) expression {
	p.requireToken("is")
	t := &testExpr{line: p.currentToken().line, operand: e, negated: p.takeToken("not")}
	t.name = p.parseDottedName("the name of a test")
	switch now := p.currentToken(); {
	case p.isOperator("("):
		t.arguments = p.parseArguments()
	case now.kind == tokString || now.kind == tokInt || now.kind == tokFloat || p.isOperator("[") || p.isOperator("{"),
		now.kind == tokName && now.text != "else" && now.text != "or" && now.text != "and" && now.text != "is" &&
			now.text != "if" && now.text != "in" && now.text != "not":
		t.arguments.positional = []expression{p.parsePostfix(p.parsePrimary())}
	}
	return t
}
