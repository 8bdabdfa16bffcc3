package bfcl

import (
	"math"
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
		case t.kind == tokenName && p.tokens[1].kind == tokenOperator && p.tokens[1].text == "=":
			name := p.name()
			p.want("=")
			v := p.test()
			named = append(named, keyword{name, v})
			texts = append(texts, name+"="+v.in(levelTest))
		default:
			v := p.namedOrTest()
			if p.is("for") {
				v = p.comprehension(v, "(", ")")
			}
			if len(named) > 0 || unpacked {
				p.fail() // a positional argument behind one with a name
			}
			texts = append(texts, v.in(levelTest))
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
		if star != "/" && !(star == "*" && p.is(",")) {
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

// atom is a name, a constant, or what brackets hold.
func (p *expressions) atom() expression {
	t := p.peek()
	switch {
	case t.kind == tokenNumber:
		return p.number()
	case t.kind == tokenString:
		return p.strings()
	case p.take("("):
		return p.bracketed()
	case p.take("["):
		return p.list()
	case p.take("{"):
		return p.braced()
	case p.take("..."):
		return expression{text: "...", level: levelAtom, worth: literal, odd: "an ellipsis"}
	}
	for text, v := range map[string]any{"True": true, "False": false, "None": nil} {
		if p.take(text) {
			return expression{text: text, level: levelAtom, worth: literal, value: v}
		}
	}
	return expression{text: p.name(), level: levelAtom}
}

func (p *expressions) number() expression {
	t := p.peek()
	p.tokens = p.tokens[1:]
	text := pyvalue.Repr(t.value)
	if f, ok := t.value.(float64); ok && math.IsInf(f, 0) {
		text = "1e309"
	}
	if t.odd != "" {
		text = strings.TrimSuffix(text, ".0") + "j"
	}
	return expression{text: text, level: levelAtom, worth: literal, value: t.value, odd: t.odd, number: true}
}

// strings joins those that stand side by side.
func (p *expressions) strings() expression {
	first := p.peek()
	e := expression{level: levelAtom, worth: literal, odd: first.odd}
	joined, source := "", []string(nil)
	for p.peek().kind == tokenString {
		t := p.peek()
		p.tokens = p.tokens[1:]
		if t.odd != first.odd {
			return p.fail() // bytes beside text
		}
		source = append(source, t.text)
		if t.raw {
			e.worth = noLiteral
			continue
		}
		joined += t.value.(string)
	}
	e.value, e.text = joined, pyvalue.Repr(joined)
	switch {
	case e.worth == noLiteral:
		e.text = formatted(strings.Join(source, " "))
	case e.odd != "":
		e.text = "b" + e.text
	case first.text[0] == 'u' || first.text[0] == 'U':
		e.text = "u" + e.text
	}
	return e
}

// formatted is an f-string as it stands, but for its quotes where no other is within.
func formatted(source string) string {
	inside := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(source[:1])+source[1:], `f"`), `"`)
	if len(inside) == len(source)-3 && !strings.ContainsAny(inside, `"'\`) {
		return "f'" + inside + "'"
	}
	return source
}

// bracketed is a tuple, or one expression.
func (p *expressions) bracketed() expression {
	if p.take(")") {
		return collection(nil, "()")
	}
	first := p.starredOrNamed()
	switch {
	case p.is("for"):
		e := p.comprehension(first, "(", ")")
		p.want(")")
		return e
	case p.take(")"):
		return first
	}
	items := p.items(first, ")")
	text := "(" + texts(items) + ")"
	if len(items) == 1 {
		text = "(" + items[0].text + ",)"
	}
	return collection(items, text)
}

func (p *expressions) list() expression {
	if p.take("]") {
		e := collection(nil, "[]")
		e.list = true
		return e
	}
	first := p.starredOrNamed()
	if p.is("for") {
		e := p.comprehension(first, "[", "]")
		p.want("]")
		return e
	}
	items := p.items(first, "]")
	e := collection(items, "["+texts(items)+"]")
	e.list = true
	return e
}

// items are those of a list that begins with one, up to a closing bracket.
func (p *expressions) items(first expression, end string) []expression {
	all := []expression{first}
	for p.take(",") && !p.is(end) && !p.failed {
		all = append(all, p.starredOrNamed())
	}
	p.want(end)
	return all
}

func (p *expressions) starredOrNamed() expression {
	if p.take("*") {
		return expression{text: "*" + p.test().in(levelBinaryOr), level: levelAtom}
	}
	e := p.namedOrTest()
	e.text, e.level = e.in(levelTest), max(e.level, levelTest)
	return e
}

func texts(items []expression) string {
	all := make([]string, len(items))
	for i, e := range items {
		all[i] = e.text
	}
	return strings.Join(all, ", ")
}

// collection is a list of what items are worth: the first that is no literal decides.
func collection(items []expression, text string) expression {
	e := expression{text: text, level: levelAtom, worth: literal}
	all := make([]any, len(items))
	for i, item := range items {
		all[i] = item.value
		e.add(item)
		e.list = e.list || item.list
	}
	e.value = all
	return e
}

// add makes a part one of what a literal holds.
func (e *expression) add(part expression) {
	if e.worth == literal {
		e.worth = part.worth
	}
	if e.odd == "" {
		e.odd = part.odd
	}
}

// key makes a part a key of a dictionary or an item of a set, of which there may be no lists.
func (e *expression) key(part expression) {
	if e.worth == literal && part.list {
		e.worth = badKey
	}
}

// braced is a dictionary or a set.
func (p *expressions) braced() expression {
	d := pyvalue.NewDict()
	e := expression{level: levelAtom, worth: literal, value: d, list: true}
	var all []string
	for !p.is("}") && !p.failed {
		if p.take("**") {
			all = append(all, "**"+p.test().in(levelBinaryOr))
			e.add(expression{})
		} else {
			key := p.starredOrNamed()
			if len(all) == 0 && !p.is(":") {
				return p.set(key)
			}
			p.want(":")
			v := p.test()
			all = append(all, key.text+": "+v.in(levelTest))
			e.entry(d, key, v)
		}
		if p.is("for") && len(all) == 1 {
			e = p.comprehension(expression{text: all[0], level: levelAtom}, "{", "}")
			p.want("}")
			return e
		}
		if !p.take(",") {
			break
		}
	}
	p.want("}")
	e.text = "{" + strings.Join(all, ", ") + "}"
	return e
}

func (p *expressions) set(first expression) expression {
	if p.is("for") {
		e := p.comprehension(first, "{", "}")
		p.want("}")
		return e
	}
	items := p.items(first, "}")
	e := expression{text: "{" + texts(items) + "}", level: levelAtom, worth: literal, odd: "a set", list: true}
	for _, item := range items {
		e.add(item)
		e.key(item)
	}
	return e
}

// entry sets a key of a dictionary as JSON has it.
func (e *expression) entry(d *pyvalue.Dict, key, v expression) {
	e.add(key)
	e.add(v)
	e.key(key)
	switch k := key.value.(type) {
	case string:
		d.Set(k, v.value)
	case []any:
		if e.odd == "" {
			e.odd = "a dictionary with a tuple for a key"
		}
	default:
		d.Set(pyvalue.JSON(k), v.value)
	}
}

// comprehension is what brackets hold from "for" on.
func (p *expressions) comprehension(e expression, open, end string) expression {
	text := e.in(levelTest)
	for p.is("for") && !p.failed {
		p.take("for")
		text += " for " + p.targets() + " in "
		p.want("in")
		text += p.or().in(levelTest + 1)
		for p.take("if") {
			text += " if " + p.or().in(levelTest+1)
		}
	}
	return expression{text: open + text + end, level: levelAtom}
}

// targets are what the items of a comprehension are called.
func (p *expressions) targets() string {
	all := []string{p.trailers(p.atom()).text}
	for p.take(",") && !p.is("in") {
		all = append(all, p.trailers(p.atom()).text)
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, ", ") + ")"
}
