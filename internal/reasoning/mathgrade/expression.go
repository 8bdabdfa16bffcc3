package mathgrade

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of a node. The kind of an operator is its sign.
const (
	constant   = '#'
	letter     = 'x'
	piConstant = 'p' // pi
	logarithm  = 'l'
)

// exprNode is a node of an expression. A node without letters is a constant if its value is rational, or a float.
type exprNode struct {
	kind byte // constant, letter, circle, logarithm, + - * / ^
	a, b *exprNode
	number
	name string
}

func (n *exprNode) isConstant() bool { return n.kind == constant }

// isRational reports whether the expression uses only rational operations.
func (n *exprNode) isRational() bool {
	if n == nil {
		return true
	}
	switch n.kind {
	case piConstant, logarithm:
		return false
	case '^':
		if _, ok := n.b.integer(); !n.b.isConstant() || !ok {
			return false
		}
	}
	return n.a.isRational() && n.b.isRational()
}

// appendLetters appends the letters of the expression that are not in known.
func (n *exprNode) appendLetters(known []string) []string {
	if n == nil {
		return known
	}
	if n.kind == letter && !slices.Contains(known, n.name) {
		return append(known, n.name)
	}
	return n.b.appendLetters(n.a.appendLetters(known))
}

// The limits of an expression.
const (
	maxLength          = 20_000 // bytes
	maxDepth           = 150    // nested parentheses, signs and powers
	maxTranscendentals = 50     // powers that are not roots, and logarithms
)

// countTranscendentals returns the number of powers and logarithms that take long to compute.
func (n *exprNode) countTranscendentals() int {
	if n == nil {
		return 0
	}
	count := n.a.countTranscendentals() + n.b.countTranscendentals()
	if n.kind == logarithm || n.kind == '^' && !n.b.isConstant() ||
		n.kind == '^' && n.b.number.rational().Denom().Cmp(big.NewInt(2)) > 0 {
		count++
	}
	return count
}

// parseExpression parses an expression in Python's syntax, in which ^ is a power, and neighbouring factors are
// multiplied.
func parseExpression(text string) (*exprNode, error) {
	if len(text) > maxLength {
		return nil, errBounds
	}
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &exprParser{tokens: tokens}
	n, err := p.parseSum()
	if err == nil && len(p.tokens) > 0 {
		err = errUnreadable
	}
	return n, err
}

// exprToken is an operator, a number or a name.
type exprToken struct {
	kind byte // an operator's sign, constant for a number, letter for a name; ^ is a power
	text string
}

func tokenize(s string) (tokens []exprToken, err error) {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(" \t\f\r\n", r):
			s = s[size:]
			continue
		case r < utf8.RuneSelf && (unicode.IsDigit(r) || r == '.' && len(s) > 1 && isDigits(s[1:2])):
			size = numberEnd(s)
			tokens = append(tokens, exprToken{constant, s[:size]})
		case r == '_' || unicode.IsLetter(r):
			size = len(s) - len(strings.TrimLeftFunc(s, isNamePart))
			if tokens, err = splitName(tokens, s[:size]); err != nil {
				return nil, err
			}
		case strings.HasPrefix(s, "**"):
			size = 2
			tokens = append(tokens, exprToken{kind: '^'})
		case strings.HasPrefix(s, "//"):
			return nil, errUnreadable
		case strings.ContainsRune("+-*/^!()", r):
			tokens = append(tokens, exprToken{kind: byte(r)})
		default:
			return nil, errUnreadable
		}
		s = s[size:]
	}
	return tokens, nil
}

func isNamePart(r rune) bool { return r == '_' || unicode.IsLetter(r) || '0' <= r && r <= '9' }

// numberEnd returns the end of the number at the start of s, in Python's syntax. An integer does not begin with 0.
func numberEnd(s string) int {
	end := digitsEnd(s, 0)
	float := end < len(s) && s[end] == '.'
	if float {
		end = digitsEnd(s, end+1)
	}
	if end < len(s) && s[end] == 'e' {
		i := end + 1
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if last := digitsEnd(s, i); last > i {
			return last
		}
	}
	if !float && s[0] == '0' {
		return end - len(strings.TrimLeft(s[:end], "0"))
	}
	return end
}

// digitsEnd returns the end of the digits at i. An underscore may be between two digits.
func digitsEnd(s string, i int) int {
	for start := i; i < len(s); i++ {
		between := s[i] == '_' && i > start && s[i-1] != '_' && i+1 < len(s) && isDigits(s[i+1:i+2])
		if !between && !isDigits(s[i:i+1]) {
			break
		}
	}
	return i
}

// splitName appends the tokens of a name. A name with a meaning or an underscore stays whole; otherwise each letter and
// each sequence of digits is a token.
func splitName(tokens []exprToken, name string) ([]exprToken, error) {
	switch name {
	case "sqrt", "ln", "pi", "oo", "nan", "zoo", "mu", "nu", "xi":
		return append(tokens, exprToken{letter, name}), nil
	case "if", "in", "is", "or", "as", "all", "id",
		"re", "im", "ff", "gff", "rf", "li", "jn", "yn", "csc", "fu", "fft", "ntt", "eye", "frac":
		return nil, errUnreadable // keywords of Python, and unknown functions
	}
	if strings.Contains(name, "_") {
		return append(tokens, exprToken{letter, name}), nil
	}
	for name != "" {
		digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
		if digits > 0 {
			tokens = append(tokens, exprToken{constant, name[:digits]})
			name = name[digits:]
			continue
		}
		_, size := utf8.DecodeRuneInString(name)
		tokens = append(tokens, exprToken{letter, name[:size]})
		name = name[size:]
	}
	return tokens, nil
}

type exprParser struct {
	tokens []exprToken
	depth  int
}

// nextKind returns the kind of the next token, or 0 at the end.
func (p *exprParser) nextKind() byte {
	if len(p.tokens) == 0 {
		return 0
	}
	return p.tokens[0].kind
}

// acceptOperator skips the operator and returns true if it is next.
func (p *exprParser) acceptOperator(kind byte) bool {
	if p.nextKind() != kind {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *exprParser) parseSum() (*exprNode, error) {
	n, err := p.parseProduct()
	for err == nil && (p.nextKind() == '+' || p.nextKind() == '-') {
		kind := p.nextKind()
		p.tokens = p.tokens[1:]
		var b *exprNode
		if b, err = p.parseProduct(); err == nil {
			n, err = joinNodes(kind, n, b)
		}
	}
	return n, err
}

func (p *exprParser) parseProduct() (*exprNode, error) {
	n, err := p.parseFactor()
	for err == nil {
		kind := byte('*')
		switch p.nextKind() {
		case '*', '/':
			kind = p.nextKind()
			p.tokens = p.tokens[1:]
		case constant, letter, '(':
		default:
			return n, nil
		}
		var b *exprNode
		if b, err = p.parseFactor(); err == nil {
			n, err = joinNodes(kind, n, b)
		}
	}
	return n, err
}

func (p *exprParser) parseFactor() (*exprNode, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errUnreadable
	}
	defer func() { p.depth-- }()
	switch {
	case p.acceptOperator('+'):
		return p.parseFactor()
	case p.acceptOperator('-'):
		n, err := p.parseFactor()
		if err != nil {
			return nil, err
		}
		return joinNodes('*', &exprNode{kind: constant, number: wholeNumber(-1)}, n)
	}
	base, err := p.parsePostfix()
	if err != nil || !p.acceptOperator('^') {
		return base, err
	}
	exponent, err := p.parseFactor()
	if err != nil {
		return nil, err
	}
	return joinNodes('^', base, exponent)
}

// parsePostfix parses an atom with factorial signs.
func (p *exprParser) parsePostfix() (*exprNode, error) {
	n, err := p.parseAtom()
	for err == nil && p.acceptOperator('!') {
		if !n.isConstant() {
			return nil, errUnreadable
		}
		var f number
		f, err = factorial(n.number)
		n = &exprNode{kind: constant, number: f}
	}
	return n, err
}

func (p *exprParser) parseAtom() (*exprNode, error) {
	if p.acceptOperator('(') {
		return p.parseParenthesis()
	}
	if len(p.tokens) == 0 {
		return nil, errUnreadable
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	switch t.kind {
	case constant:
		return readNumber(t.text)
	case letter:
		return p.parseNamed(t.text)
	}
	return nil, errUnreadable
}

// parseParenthesis parses the rest of a parenthesis after its opening sign.
func (p *exprParser) parseParenthesis() (*exprNode, error) {
	n, err := p.parseSum()
	if err == nil && !p.acceptOperator(')') {
		err = errUnreadable
	}
	return n, err
}

func (p *exprParser) parseNamed(name string) (*exprNode, error) {
	switch name {
	case "pi":
		return &exprNode{kind: piConstant}, nil
	case "oo", "nan", "zoo":
		return nil, errUndefined
	case "sqrt", "ln":
		if !p.acceptOperator('(') {
			return nil, errUnreadable
		}
		n, err := p.parseParenthesis()
		if err != nil {
			return nil, err
		}
		if name == "sqrt" {
			return joinNodes('^', n, &exprNode{kind: constant, number: exactNumber(big.NewRat(1, 2))})
		}
		return naturalLog(n)
	}
	return &exprNode{kind: letter, name: name}, nil
}

func readNumber(text string) (*exprNode, error) {
	text = strings.ReplaceAll(text, "_", "")
	if strings.ContainsAny(text, ".e") {
		v, err := parseDecimal(text)
		return &exprNode{kind: constant, number: v}, err
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, errUnreadable
	}
	if v.Num().BitLen() > maxBits {
		return nil, errBounds
	}
	return &exprNode{kind: constant, number: exactNumber(v)}, nil
}

// naturalLog returns the natural logarithm of an expression.
func naturalLog(n *exprNode) (*exprNode, error) {
	if n.isConstant() && n.exact != nil {
		if n.sign() == 0 {
			return nil, errUndefined
		}
		if n.exact.Cmp(big.NewRat(1, 1)) == 0 {
			return &exprNode{kind: constant, number: wholeNumber(0)}, nil
		}
	}
	return &exprNode{kind: logarithm, a: n}, nil
}

// joinNodes joins two expressions by an operator. Like SymPy, it computes with constants at once.
func joinNodes(kind byte, a, b *exprNode) (*exprNode, error) {
	joined := &exprNode{kind: kind, a: a, b: b}
	if kind == '^' {
		return joined.foldPower()
	}
	if !b.isConstant() {
		return joined, nil
	}
	if !a.isConstant() {
		if kind == '/' && b.sign() == 0 {
			return nil, errUndefined
		}
		return joined, nil
	}
	n := &exprNode{kind: constant}
	var err error
	switch kind {
	case '+':
		n.number = add(a.number, b.number)
	case '-':
		n.number = add(a.number, b.negative())
	case '*':
		n.number = multiply(a.number, b.number)
	case '/':
		n.number, err = divide(a.number, b.number)
	}
	if err == nil && n.exact != nil && max(n.exact.Num().BitLen(), n.exact.Denom().BitLen()) > maxBits {
		err = errBounds
	}
	return n, err
}

// foldPower computes a power if the result is a rational number or a float.
func (n *exprNode) foldPower() (*exprNode, error) {
	e := n.b
	if !e.isConstant() {
		return n, nil
	}
	if e.exact == nil {
		return n.floatPower()
	}
	if !e.exact.Num().IsInt64() || !e.exact.Denom().IsInt64() {
		return nil, errBounds
	}
	num, den := e.exact.Num().Int64(), e.exact.Denom().Int64()
	if num > maxBits || num < -maxBits {
		return nil, errBounds
	}
	if !n.a.isConstant() {
		if num > maxExponent || num < -maxExponent {
			return nil, errBounds
		}
		return n, nil
	}
	base := n.a.number
	if den > 1 {
		if base.exact == nil {
			return n.floatPower()
		}
		r, ok := rationalRoot(base.exact, den)
		if !ok {
			return n, nil
		}
		base = exactNumber(r)
	}
	v, err := power(base, num)
	return &exprNode{kind: constant, number: v}, err
}

// floatPower computes a power of constants, one of them a float. A power without a real value stays unchanged.
func (n *exprNode) floatPower() (*exprNode, error) {
	if !n.a.isConstant() || n.a.sign() <= 0 {
		return n, nil
	}
	x, y, bits := asFloats(n.a.number, n.b.number)
	if n.b.exact != nil && n.b.exact.Cmp(big.NewRat(1, 2)) == 0 {
		return &exprNode{kind: constant, number: number{float: new(big.Float).SetPrec(bits).Sqrt(x)}}, nil
	}
	v, err := newRealField(bits+guardBits).power(x, y)
	if err != nil {
		return nil, err
	}
	return &exprNode{kind: constant, number: number{float: v.SetPrec(bits)}}, nil
}
