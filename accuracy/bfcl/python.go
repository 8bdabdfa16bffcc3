package bfcl

import (
	"math/big"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// level is how tightly an expression binds, as Python has it when it prints one.
type level int

const (
	levelNamed level = iota
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

// expression is one as Python prints it, and what it is worth if it is a literal.
type expression struct {
	text   string
	level  level
	worth  worth
	value  any    // of a literal
	odd    string // of a literal that JSON cannot hold, what it is
	list   bool   // a list, an object or a set, or a tuple of such: no key of a dictionary
	number bool   // a number without a sign
}

// worth is what comes of it if an expression is taken for a literal.
type worth uint8

const (
	noLiteral worth = iota
	literal
	badKey // a list is the key of a dictionary, or lies in a set: an error that ends the official scoring
)

// in is the text within one that binds so tightly.
func (e expression) in(l level) string {
	if e.level < l {
		return "(" + e.text + ")"
	}
	return e.text
}

// keyword is an argument with its name.
type keyword struct {
	name  string
	value expression
}

// arguments are those of a call. Positional ones are left out, and ** of a dictionary.
func arguments(text string) ([]keyword, error) {
	all, err := tokens(text)
	if err != nil {
		return nil, err
	}
	p := &expressions{tokens: all}
	_, named := p.call("")
	if p.failed {
		return nil, errSyntax
	}
	return named, nil
}

// mostNested bounds expressions in one another; Python's own parser gives up at 200 brackets.
const mostNested = 200

// expressions parses what tokens stand for.
type expressions struct {
	tokens []token
	depth  int
	failed bool
}

func (p *expressions) peek() token { return p.tokens[0] }

func (p *expressions) fail() expression {
	p.failed = true
	p.tokens = p.tokens[len(p.tokens)-1:]
	return expression{}
}

// is says whether an operator or a word stands next.
func (p *expressions) is(text string) bool {
	t := p.peek()
	return (t.kind == tokenOperator || t.kind == tokenName) && t.text == text
}

// take steps over one that stands next.
func (p *expressions) take(text string) bool {
	if !p.is(text) {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *expressions) want(text string) {
	if !p.take(text) {
		p.fail()
	}
}

// words may be no names.
var words = strings.Fields("False None True and as assert async await break class continue def del elif else except " +
	"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func (p *expressions) name() string {
	t := p.peek()
	if t.kind != tokenName || slices.Contains(words, t.text) {
		p.fail()
		return ""
	}
	p.tokens = p.tokens[1:]
	return t.text
}

// call reads arguments up to a closing bracket, which it steps over, or to the end where close is "".
func (p *expressions) call(end string) (texts []string, named []keyword) {
	at := func() bool { return end == "" && p.peek().kind == tokenEnd || end != "" && p.is(end) }
	unpacked := false
	for !at() && !p.failed {
		switch t := p.peek(); {
		case p.take("**"):
			unpacked = true
			texts = append(texts, "**"+p.test().in(levelBinaryOr))
		case p.take("*"):
			if unpacked {
				p.fail()
			}
			texts = append(texts, "*"+p.test().in(levelBinaryOr))
		case p.isKeyword(t):
			name := p.name()
			p.want("=")
			v := p.test()
			named = append(named, keyword{name, v})
			texts = append(texts, name+"="+v.in(levelTest))
		default:
			if texts = append(texts, p.positional()); len(named) > 0 || unpacked {
				p.fail() // a positional argument behind one with a name
			}
		}
		if !p.take(",") {
			break
		}
	}
	if !at() {
		p.fail()
	}
	p.take(end)
	return texts, named
}

// isKeyword says whether a token is the name of an argument.
func (p *expressions) isKeyword(t token) bool {
	return t.kind == tokenName && p.tokens[1].kind == tokenOperator && p.tokens[1].text == "="
}

// positional is the text of an argument without a name; values that are made by a loop may be one.
func (p *expressions) positional() string {
	v := p.namedOrTest()
	if p.is("for") {
		v = p.comprehension(v, "(", ")")
	}
	return v.in(levelTest)
}

func (p *expressions) namedOrTest() expression {
	if p.peek().kind == tokenName && p.tokens[1].text == ":=" && p.tokens[1].kind == tokenOperator {
		name := p.name()
		p.want(":=")
		return expression{text: "(" + name + " := " + p.test().in(levelAtom) + ")", level: levelAtom}
	}
	return p.test()
}

// test is any expression but a tuple without brackets.
func (p *expressions) test() (e expression) {
	if p.depth++; p.depth > mostNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	if p.take("lambda") {
		return p.lambda()
	}
	e = p.or()
	if !p.take("if") {
		return e
	}
	condition := p.or()
	p.want("else")
	return expression{level: levelTest,
		text: e.in(levelTest+1) + " if " + condition.in(levelTest+1) + " else " + p.test().in(levelTest)}
}

func (p *expressions) lambda() expression {
	var params []string
	for !p.is(":") && !p.failed {
		star := ""
		switch {
		case p.take("**"):
			star = "**"
		case p.take("*"):
			star = "*"
		case p.take("/"):
			star = "/"
		}
		param := star
		if star != "/" && (star != "*" || !p.is(",")) {
			param += p.name()
		}
		if p.take("=") {
			param += "=" + p.test().in(levelTest)
		}
		params = append(params, param)
		if !p.take(",") {
			break
		}
	}
	p.want(":")
	head := "lambda"
	if len(params) > 0 {
		head += " " + strings.Join(params, ", ")
	}
	return expression{text: head + ": " + p.test().in(levelTest), level: levelTest}
}

// joined reads operands with a word between them. Python prints each one in brackets that binds less tightly than the
// one before it might.
func (p *expressions) joined(word string, l level, operand func() expression) expression {
	e := operand()
	if !p.is(word) {
		return e
	}
	within := l + 1
	text := e.in(within)
	for p.take(word) {
		within++
		text += " " + word + " " + operand().in(within)
	}
	return expression{text: text, level: l}
}

func (p *expressions) or() expression  { return p.joined("or", levelOr, p.and) }
func (p *expressions) and() expression { return p.joined("and", levelAnd, p.not) }

func (p *expressions) not() expression {
	if !p.take("not") {
		return p.compare()
	}
	if p.depth++; p.depth > mostNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	return expression{text: "not " + p.not().in(levelNot), level: levelNot}
}

// comparison is the operator that stands next, "" if there is none.
func (p *expressions) comparison() string {
	for _, op := range []string{"<", ">", "==", ">=", "<=", "!=", "in"} {
		if p.take(op) {
			return op
		}
	}
	switch {
	case p.take("is"):
		if p.take("not") {
			return "is not"
		}
		return "is"
	case p.is("not") && p.tokens[1].text == "in":
		p.tokens = p.tokens[2:]
		return "not in"
	}
	return ""
}

func (p *expressions) compare() expression {
	e := p.binary(0)
	op := p.comparison()
	if op == "" {
		return e
	}
	text := e.in(levelCompare + 1)
	for ; op != ""; op = p.comparison() {
		text += " " + op + " " + p.binary(0).in(levelCompare+1)
	}
	return expression{text: text, level: levelCompare}
}

// binaries are the operators of two operands, from those that bind least.
var binaries = []struct {
	level     level
	operators []string
}{
	{levelBinaryOr, []string{"|"}}, {levelBinaryXor, []string{"^"}}, {levelBinaryAnd, []string{"&"}},
	{levelShift, []string{"<<", ">>"}}, {levelSum, []string{"+", "-"}}, {levelTerm, []string{"*", "/", "//", "%", "@"}},
}

func (p *expressions) binary(i int) expression {
	if i == len(binaries) {
		return p.factor()
	}
	b := binaries[i]
	e := p.binary(i + 1)
	for {
		op := p.peek().text
		if p.peek().kind != tokenOperator || !slices.Contains(b.operators, op) {
			return e
		}
		p.take(op)
		right := p.binary(i + 1)
		sum := expression{text: e.in(b.level) + " " + op + " " + right.in(b.level+1), level: b.level}
		if (op == "+" || op == "-") && right.number && right.odd == complexNumber && e.odd == "" && isNumber(e) {
			sum.worth, sum.odd = literal, complexNumber // the only sum that is a literal
		}
		e = sum
	}
}

const complexNumber = "a complex number"

// isNumber says whether a literal is a number, perhaps with a sign.
func isNumber(e expression) bool {
	switch e.value.(type) {
	case int64, *big.Int, float64:
		return e.worth == literal
	}
	return false
}

func (p *expressions) factor() expression {
	op := p.peek().text
	if p.peek().kind != tokenOperator || op != "+" && op != "-" && op != "~" {
		return p.power()
	}
	if p.depth++; p.depth > mostNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	p.take(op)
	operand := p.factor()
	e := expression{text: op + operand.in(levelFactor), level: levelFactor}
	if op == "~" || !operand.number {
		return e
	}
	e.worth, e.value, e.odd = literal, operand.value, operand.odd
	if op == "-" {
		e.value = negative(operand.value)
	}
	return e
}

func negative(v any) any {
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

func (p *expressions) power() expression {
	e := p.trailers(p.atom())
	if !p.take("**") {
		return e
	}
	if p.depth++; p.depth > mostNested {
		return p.fail()
	}
	defer func() { p.depth-- }()
	return expression{text: e.in(levelPower+1) + " ** " + p.factor().in(levelPower), level: levelPower}
}

// trailers are calls, attributes and subscripts of what stands before them.
func (p *expressions) trailers(e expression) expression {
	for !p.failed {
		switch {
		case p.take("("):
			texts, _ := p.call(")")
			e = expression{text: e.in(levelAtom) + "(" + strings.Join(texts, ", ") + ")", level: levelAtom}
		case p.take("["):
			e = expression{text: e.in(levelAtom) + "[" + p.subscript() + "]", level: levelAtom}
		case p.take("."):
			text := e.in(levelAtom)
			if _, whole := e.value.(int64); whole && e.number {
				text += " "
			}
			e = expression{text: text + "." + p.name(), level: levelAtom}
		default:
			return e
		}
	}
	return e
}

func (p *expressions) subscript() string {
	var all []string
	comma := false
	for !p.is("]") && !p.failed {
		all = append(all, p.slice())
		if comma = p.take(","); !comma {
			break
		}
	}
	if len(all) == 0 {
		p.fail()
	}
	p.want("]")
	if len(all) == 1 && comma {
		return all[0] + ","
	}
	return strings.Join(all, ", ")
}

func (p *expressions) slice() (text string) {
	bound := func() string {
		if p.is(":") || p.is("]") || p.is(",") {
			return ""
		}
		return p.namedOrTest().in(levelTest)
	}
	if text = bound(); !p.take(":") {
		return text
	}
	text += ":" + bound()
	if p.take(":") {
		if step := bound(); step != "" {
			text += ":" + step
		}
	}
	return text
}
