package bfcl

import (
	"math/big"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// bindingLevel is the precedence of an expression. Python uses it when it prints expressions.
type bindingLevel int

const (
	levelNamed bindingLevel = iota
	levelTuple
	levelTest
	levelOr
	levelAnd
	levelNot
	levelCompare
	levelBinaryOr
	levelBinaryXor
	levelBinaryAnd
	levelShift
	levelSum
	levelTerm
	levelFactor
	levelPower
	levelAwait
	levelAtom
)

// expression is an expression as Python prints it, with its value if it is a literal.
type expression struct {
	text           string
	level          bindingLevel
	status         literalStatus
	value          any    // if status is literal
	unsupported    string // kind of a literal that JSON cannot represent
	unhashable     bool   // contains a list, an object or a set and therefore cannot be a dictionary key
	unsignedNumber bool   // a number without a sign
}

// literalStatus is the result of evaluating an expression as a literal.
type literalStatus uint8

const (
	noLiteral literalStatus = iota
	literal
	badKey // a list is a dictionary key or a set item: an error that stops the official scoring
)

// textAt returns the text for use at a binding level. It adds parentheses if the expression binds less tightly.
func (e expression) textAt(l bindingLevel) string {
	if e.level < l {
		return "(" + e.text + ")"
	}
	return e.text
}

// keywordArgument is a named argument of a call.
type keywordArgument struct {
	name  string
	value expression
}

// readArguments reads the named arguments of a call. It ignores positional arguments and the entries of **.
func readArguments(text string) ([]keywordArgument, error) {
	all, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &pyParser{tokens: all}
	_, named := p.parseArguments("")
	if p.failed {
		return nil, errSyntax
	}
	return named, nil
}

// maxNested limits the nesting of expressions. Python's parser stops at 200 brackets.
const maxNested = 200

// pyParser parses tokens of Python expressions.
type pyParser struct {
	tokens []pyToken
	depth  int
	failed bool
}

func (p *pyParser) peekToken() pyToken { return p.tokens[0] }

func (p *pyParser) fail() expression {
	p.failed = true
	p.tokens = p.tokens[len(p.tokens)-1:]
	return expression{}
}

// isNext reports whether the next token is the given operator or word.
func (p *pyParser) isNext(text string) bool {
	t := p.peekToken()
	return (t.kind == tokenOperator || t.kind == tokenName) && t.text == text
}

// acceptToken skips the next token if it is the given operator or word, and reports whether it did.
func (p *pyParser) acceptToken(text string) bool {
	if !p.isNext(text) {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *pyParser) expectToken(text string) {
	if !p.acceptToken(text) {
		p.fail()
	}
}

// pythonKeywords are words that cannot be names.
var pythonKeywords = strings.Fields(
	"False None True and as assert async await break class continue def del elif else except " +
		"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func (p *pyParser) parseName() string {
	t := p.peekToken()
	if t.kind != tokenName || slices.Contains(pythonKeywords, t.text) {
		p.fail()
		return ""
	}
	p.tokens = p.tokens[1:]
	return t.text
}

// parseArguments reads arguments up to end, a closing bracket, and skips it. If end is "", it reads to the end of the
// tokens.
func (p *pyParser) parseArguments(end string) (texts []string, named []keywordArgument) {
	at := func() bool { return end == "" && p.peekToken().kind == tokenEnd || end != "" && p.isNext(end) }
	unpacked := false
	for !at() && !p.failed {
		switch t := p.peekToken(); {
		case p.acceptToken("**"):
			unpacked = true
			texts = append(texts, "**"+p.parseTest().textAt(levelBinaryOr))
		case p.acceptToken("*"):
			if unpacked {
				p.fail()
			}
			texts = append(texts, "*"+p.parseTest().textAt(levelBinaryOr))
		case p.isKeyword(t):
			name := p.parseName()
			p.expectToken("=")
			v := p.parseTest()
			named = append(named, keywordArgument{name, v})
			texts = append(texts, name+"="+v.textAt(levelTest))
		default:
			if texts = append(texts, p.parsePositional()); len(named) > 0 || unpacked {
				p.fail() // a positional argument follows a named one
			}
		}
		if !p.acceptToken(",") {
			break
		}
	}
	if !at() {
		p.fail()
	}
	p.acceptToken(end)
	return texts, named
}

// isKeyword reports whether a token is the name of an argument.
func (p *pyParser) isKeyword(t pyToken) bool {
	return t.kind == tokenName && p.tokens[1].kind == tokenOperator && p.tokens[1].text == "="
}

// parsePositional reads the text of a positional argument, which may be a generator expression.
func (p *pyParser) parsePositional() string {
	v := p.namedOrTest()
	if p.isNext("for") {
		v = p.parseComprehension(v, "(", ")")
	}
	return v.textAt(levelTest)
}

func (p *pyParser) namedOrTest() expression {
	if p.peekToken().kind == tokenName && p.tokens[1].text == ":=" && p.tokens[1].kind == tokenOperator {
		name := p.parseName()
		p.expectToken(":=")
		return expression{text: "(" + name + " := " + p.parseTest().textAt(levelAtom) + ")", level: levelAtom}
	}
	return p.parseTest()
}

// parseTest reads any expression except an unparenthesized tuple.
func (p *pyParser) parseTest() (e expression) {
	if p.depth++; p.depth > maxNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	if p.acceptToken("lambda") {
		return p.parseLambda()
	}
	e = p.parseOr()
	if !p.acceptToken("if") {
		return e
	}
	condition := p.parseOr()
	p.expectToken("else")
	return expression{level: levelTest,
		text: e.textAt(levelTest+1) + " if " + condition.textAt(levelTest+1) + " else " + p.parseTest().textAt(levelTest)}
}

func (p *pyParser) parseLambda() expression {
	var params []string
	for !p.isNext(":") && !p.failed {
		star := ""
		switch {
		case p.acceptToken("**"):
			star = "**"
		case p.acceptToken("*"):
			star = "*"
		case p.acceptToken("/"):
			star = "/"
		}
		param := star
		if star != "/" && (star != "*" || !p.isNext(",")) {
			param += p.parseName()
		}
		if p.acceptToken("=") {
			param += "=" + p.parseTest().textAt(levelTest)
		}
		params = append(params, param)
		if !p.acceptToken(",") {
			break
		}
	}
	p.expectToken(":")
	head := "lambda"
	if len(params) > 0 {
		head += " " + strings.Join(params, ", ")
	}
	return expression{text: head + ": " + p.parseTest().textAt(levelTest), level: levelTest}
}

// parseChain reads operands separated by a word ("and", "or"). Python parenthesizes an operand that binds less tightly
// than the grammar allows.
func (p *pyParser) parseChain(word string, l bindingLevel, operand func() expression) expression {
	e := operand()
	if !p.isNext(word) {
		return e
	}
	within := l + 1
	text := e.textAt(within)
	for p.acceptToken(word) {
		within++
		text += " " + word + " " + operand().textAt(within)
	}
	return expression{text: text, level: l}
}

func (p *pyParser) parseOr() expression  { return p.parseChain("or", levelOr, p.parseAnd) }
func (p *pyParser) parseAnd() expression { return p.parseChain("and", levelAnd, p.parseNot) }

func (p *pyParser) parseNot() expression {
	if !p.acceptToken("not") {
		return p.parseComparison()
	}
	if p.depth++; p.depth > maxNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	return expression{text: "not " + p.parseNot().textAt(levelNot), level: levelNot}
}

// comparisonOperator reads the next comparison operator; "": none.
func (p *pyParser) comparisonOperator() string {
	for _, op := range []string{"<", ">", "==", ">=", "<=", "!=", "in"} {
		if p.acceptToken(op) {
			return op
		}
	}
	switch {
	case p.acceptToken("is"):
		if p.acceptToken("not") {
			return "is not"
		}
		return "is"
	case p.isNext("not") && p.tokens[1].text == "in":
		p.tokens = p.tokens[2:]
		return "not in"
	}
	return ""
}

func (p *pyParser) parseComparison() expression {
	e := p.parseBinary(0)
	op := p.comparisonOperator()
	if op == "" {
		return e
	}
	text := e.textAt(levelCompare + 1)
	for ; op != ""; op = p.comparisonOperator() {
		text += " " + op + " " + p.parseBinary(0).textAt(levelCompare+1)
	}
	return expression{text: text, level: levelCompare}
}

// binaryOperators contains the operators with two operands, lowest precedence first.
var binaryOperators = []struct {
	level     bindingLevel
	operators []string
}{
	{levelBinaryOr, []string{"|"}}, {levelBinaryXor, []string{"^"}}, {levelBinaryAnd, []string{"&"}},
	{levelShift, []string{"<<", ">>"}}, {levelSum, []string{"+", "-"}}, {levelTerm, []string{"*", "/", "//", "%", "@"}},
}

func (p *pyParser) parseBinary(i int) expression {
	if i == len(binaryOperators) {
		return p.parseFactor()
	}
	b := binaryOperators[i]
	e := p.parseBinary(i + 1)
	for {
		op := p.peekToken().text
		if p.peekToken().kind != tokenOperator || !slices.Contains(b.operators, op) {
			return e
		}
		p.acceptToken(op)
		right := p.parseBinary(i + 1)
		sum := expression{text: e.textAt(b.level) + " " + op + " " + right.textAt(b.level+1), level: b.level}
		if (op == "+" || op == "-") && right.unsignedNumber && right.unsupported == complexNumber && e.unsupported == "" &&
			isNumber(e) {
			sum.status, sum.unsupported = literal, complexNumber // the only sums that are literals are complex numbers
		}
		e = sum
	}
}

const complexNumber = "a complex number"

// isNumber reports whether a literal is a number, perhaps with a sign.
func isNumber(e expression) bool {
	switch e.value.(type) {
	case int64, *big.Int, float64:
		return e.status == literal
	}
	return false
}

func (p *pyParser) parseFactor() expression {
	op := p.peekToken().text
	if p.peekToken().kind != tokenOperator || op != "+" && op != "-" && op != "~" {
		return p.parsePower()
	}
	if p.depth++; p.depth > maxNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	p.acceptToken(op)
	operand := p.parseFactor()
	e := expression{text: op + operand.textAt(levelFactor), level: levelFactor}
	if op == "~" || !operand.unsignedNumber {
		return e
	}
	e.status, e.value, e.unsupported = literal, operand.value, operand.unsupported
	if op == "-" {
		e.value = negate(operand.value)
	}
	return e
}

func negate(v any) any {
	switch v := v.(type) {
	case float64:
		return -v
	default:
		n, err := pyvalue.Times(v, -1)
		if err != nil {
			return v
		}
		return n
	}
}

func (p *pyParser) parsePower() expression {
	e := p.parseTrailers(p.parseAtom())
	if !p.acceptToken("**") {
		return e
	}
	if p.depth++; p.depth > maxNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	return expression{text: e.textAt(levelPower+1) + " ** " + p.parseFactor().textAt(levelPower), level: levelPower}
}

// parseTrailers reads the calls, attributes and subscripts that follow e.
func (p *pyParser) parseTrailers(e expression) expression {
	for !p.failed {
		switch {
		case p.acceptToken("("):
			texts, _ := p.parseArguments(")")
			e = expression{text: e.textAt(levelAtom) + "(" + strings.Join(texts, ", ") + ")", level: levelAtom}
		case p.acceptToken("["):
			e = expression{text: e.textAt(levelAtom) + "[" + p.parseSubscript() + "]", level: levelAtom}
		case p.acceptToken("."):
			text := e.textAt(levelAtom)
			if _, whole := e.value.(int64); whole && e.unsignedNumber {
				text += " "
			}
			e = expression{text: text + "." + p.parseName(), level: levelAtom}
		default:
			return e
		}
	}
	return e
}

func (p *pyParser) parseSubscript() string {
	var all []string
	comma := false
	for !p.isNext("]") && !p.failed {
		all = append(all, p.parseSlice())
		if comma = p.acceptToken(","); !comma {
			break
		}
	}
	if len(all) == 0 {
		p.fail()
	}
	p.expectToken("]")
	if len(all) == 1 && comma {
		return all[0] + ","
	}
	return strings.Join(all, ", ")
}

func (p *pyParser) parseSlice() (text string) {
	bound := func() string {
		if p.isNext(":") || p.isNext("]") || p.isNext(",") {
			return ""
		}
		return p.namedOrTest().textAt(levelTest)
	}
	if text = bound(); !p.acceptToken(":") {
		return text
	}
	text += ":" + bound()
	if p.acceptToken(":") {
		if step := bound(); step != "" {
			text += ":" + step
		}
	}
	return text
}
