package mathgrade

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The kinds of a node, beside those of operators, which are their signs.
const (
	constant  = '#'
	letter    = 'x'
	circle    = 'p' // pi
	logarithm = 'l'
)

// node is a part of an expression. Parts without letters are constants where they are rational, or floats.
type node struct {
	kind byte // constant, letter, circle, logarithm, + - * / ^
	a, b *node
	number
	name string
}

func (n *node) constant() bool { return n.kind == constant }

// rational says whether the part has rational operations alone.
func (n *node) rational() bool {
	if n == nil {
		return true
	}
	switch n.kind {
	case circle, logarithm:
		return false
	case '^':
		if _, ok := n.b.integer(); !n.b.constant() || !ok {
			return false
		}
	}
	return n.a.rational() && n.b.rational()
}

// letters appends those of a part to known ones.
func (n *node) letters(known []string) []string {
	if n == nil {
		return known
	}
	if n.kind == letter && !slices.Contains(known, n.name) {
		return append(known, n.name)
	}
	return n.b.letters(n.a.letters(known))
}

// The bounds of an expression.
const (
	longest    = 20_000 // bytes
	nested     = 150    // parentheses, signs and powers
	mostCurves = 50     // powers that are no roots, and logarithms
)

// curves is how many powers and logarithms there are that take long to compute.
func (n *node) curves() int {
	if n == nil {
		return 0
	}
	count := n.a.curves() + n.b.curves()
	if n.kind == logarithm || n.kind == '^' && !n.b.constant() ||
		n.kind == '^' && n.b.number.rational().Denom().Cmp(big.NewInt(2)) > 0 {
		count++
	}
	return count
}

// parse reads an expression as Python's syntax, where ^ is a power, and what stands side by side is multiplied.
func parse(text string) (*node, error) {
	if len(text) > longest {
		return nil, errBounds
	}
	tokens, err := tokenize(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	n, err := p.sum()
	if err == nil && len(p.tokens) > 0 {
		err = errUnreadable
	}
	return n, err
}

// token is an operator, a number or a name.
type token struct {
	kind byte // an operator's sign, constant for a number, letter for a name; ^ is a power
	text string
}

func tokenize(s string) (tokens []token, err error) {
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case strings.ContainsRune(" \t\f\r\n", r):
			s = s[size:]
			continue
		case r < utf8.RuneSelf && (unicode.IsDigit(r) || r == '.' && len(s) > 1 && isDigits(s[1:2])):
			size = numberEnd(s)
			tokens = append(tokens, token{constant, s[:size]})
		case r == '_' || unicode.IsLetter(r):
			size = len(s) - len(strings.TrimLeftFunc(s, isNamePart))
			if tokens, err = splitName(tokens, s[:size]); err != nil {
				return nil, err
			}
		case strings.HasPrefix(s, "**"):
			size = 2
			tokens = append(tokens, token{kind: '^'})
		case strings.HasPrefix(s, "//"):
			return nil, errUnreadable
		case strings.ContainsRune("+-*/^!()", r):
			tokens = append(tokens, token{kind: byte(r)})
		default:
			return nil, errUnreadable
		}
		s = s[size:]
	}
	return tokens, nil
}

func isNamePart(r rune) bool { return r == '_' || unicode.IsLetter(r) || '0' <= r && r <= '9' }

// numberEnd is the end of the number that s begins with, in Python's syntax: an integer does not begin with 0.
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

// digitsEnd is the end of the digits at i; an underscore may stand between two.
func digitsEnd(s string, i int) int {
	for start := i; i < len(s); i++ {
		between := s[i] == '_' && i > start && s[i-1] != '_' && i+1 < len(s) && isDigits(s[i+1:i+2])
		if !between && !isDigits(s[i:i+1]) {
			break
		}
	}
	return i
}

// splitName appends the tokens of a name: it stays whole if it has a meaning or an underscore, otherwise each letter is
// one, and each row of digits a number.
func splitName(tokens []token, name string) ([]token, error) {
	switch name {
	case "sqrt", "ln", "pi", "oo", "nan", "zoo", "mu", "nu", "xi":
		return append(tokens, token{letter, name}), nil
	case "if", "in", "is", "or", "as", "all", "id",
		"re", "im", "ff", "gff", "rf", "li", "jn", "yn", "csc", "fu", "fft", "ntt", "eye", "frac":
		return nil, errUnreadable // words of Python's, and functions that are not known here
	}
	if strings.Contains(name, "_") {
		return append(tokens, token{letter, name}), nil
	}
	for name != "" {
		digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
		if digits > 0 {
			tokens = append(tokens, token{constant, name[:digits]})
			name = name[digits:]
			continue
		}
		_, size := utf8.DecodeRuneInString(name)
		tokens = append(tokens, token{letter, name[:size]})
		name = name[size:]
	}
	return tokens, nil
}

type parser struct {
	tokens []token
	depth  int
}

// next is the kind of the next token, 0 at the end.
func (p *parser) next() byte {
	if len(p.tokens) == 0 {
		return 0
	}
	return p.tokens[0].kind
}

// accept reads over an operator, if it is here.
func (p *parser) accept(kind byte) bool {
	if p.next() != kind {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *parser) sum() (*node, error) {
	n, err := p.product()
	for err == nil && (p.next() == '+' || p.next() == '-') {
		kind := p.next()
		p.tokens = p.tokens[1:]
		var b *node
		if b, err = p.product(); err == nil {
			n, err = join(kind, n, b)
		}
	}
	return n, err
}

func (p *parser) product() (*node, error) {
	n, err := p.factor()
	for err == nil {
		kind := byte('*')
		switch p.next() {
		case '*', '/':
			kind = p.next()
			p.tokens = p.tokens[1:]
		case constant, letter, '(':
		default:
			return n, nil
		}
		var b *node
		if b, err = p.factor(); err == nil {
			n, err = join(kind, n, b)
		}
	}
	return n, err
}

func (p *parser) factor() (*node, error) {
	if p.depth++; p.depth > nested {
		return nil, errUnreadable
	}
	defer func() { p.depth-- }()
	switch {
	case p.accept('+'):
		return p.factor()
	case p.accept('-'):
		n, err := p.factor()
		if err != nil {
			return nil, err
		}
		return join('*', &node{kind: constant, number: whole(-1)}, n)
	}
	base, err := p.postfix()
	if err != nil || !p.accept('^') {
		return base, err
	}
	exponent, err := p.factor()
	if err != nil {
		return nil, err
	}
	return join('^', base, exponent)
}

// postfix is an atom with signs of factorials.
func (p *parser) postfix() (*node, error) {
	n, err := p.atom()
	for err == nil && p.accept('!') {
		if !n.constant() {
			return nil, errUnreadable
		}
		var f number
		f, err = factorial(n.number)
		n = &node{kind: constant, number: f}
	}
	return n, err
}

func (p *parser) atom() (*node, error) {
	if p.accept('(') {
		return p.closed()
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
		return p.named(t.text)
	}
	return nil, errUnreadable
}

// closed is what stands in parentheses, of which the first was read.
func (p *parser) closed() (*node, error) {
	n, err := p.sum()
	if err == nil && !p.accept(')') {
		err = errUnreadable
	}
	return n, err
}

func (p *parser) named(name string) (*node, error) {
	switch name {
	case "pi":
		return &node{kind: circle}, nil
	case "oo", "nan", "zoo":
		return nil, errUndefined
	case "sqrt", "ln":
		if !p.accept('(') {
			return nil, errUnreadable
		}
		n, err := p.closed()
		if err != nil {
			return nil, err
		}
		if name == "sqrt" {
			return join('^', n, &node{kind: constant, number: exact(big.NewRat(1, 2))})
		}
		return natural(n)
	}
	return &node{kind: letter, name: name}, nil
}

func readNumber(text string) (*node, error) {
	text = strings.ReplaceAll(text, "_", "")
	if strings.ContainsAny(text, ".e") {
		v, err := decimal(text)
		return &node{kind: constant, number: v}, err
	}
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, errUnreadable
	}
	if v.Num().BitLen() > mostBits {
		return nil, errBounds
	}
	return &node{kind: constant, number: exact(v)}, nil
}

// natural is the logarithm of a part.
func natural(n *node) (*node, error) {
	if n.constant() && n.exact != nil {
		if n.sign() == 0 {
			return nil, errUndefined
		}
		if n.exact.Cmp(big.NewRat(1, 1)) == 0 {
			return &node{kind: constant, number: whole(0)}, nil
		}
	}
	return &node{kind: logarithm, a: n}, nil
}

// join makes a part of two by an operator, and computes with constants at once, as SymPy does.
func join(kind byte, a, b *node) (*node, error) {
	joined := &node{kind: kind, a: a, b: b}
	if kind == '^' {
		return joined.power()
	}
	if !b.constant() {
		return joined, nil
	}
	if !a.constant() {
		if kind == '/' && b.sign() == 0 {
			return nil, errUndefined
		}
		return joined, nil
	}
	n := &node{kind: constant}
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
	if err == nil && n.exact != nil && max(n.exact.Num().BitLen(), n.exact.Denom().BitLen()) > mostBits {
		err = errBounds
	}
	return n, err
}

// power computes a power, if it is a rational number or a float.
func (n *node) power() (*node, error) {
	e := n.b
	if !e.constant() {
		return n, nil
	}
	if e.exact == nil {
		return n.floatPower()
	}
	if !e.exact.Num().IsInt64() || !e.exact.Denom().IsInt64() {
		return nil, errBounds
	}
	num, den := e.exact.Num().Int64(), e.exact.Denom().Int64()
	if num > mostBits || num < -mostBits {
		return nil, errBounds
	}
	if !n.a.constant() {
		if num > mostExponent || num < -mostExponent {
			return nil, errBounds
		}
		return n, nil
	}
	base := n.a.number
	if den > 1 {
		if base.exact == nil {
			return n.floatPower()
		}
		r, ok := root(base.exact, den)
		if !ok {
			return n, nil
		}
		base = exact(r)
	}
	v, err := power(base, num)
	return &node{kind: constant, number: v}, err
}

// floatPower computes a power of constants, one of which is a float. What has no real value stays as it is.
func (n *node) floatPower() (*node, error) {
	if !n.a.constant() || n.a.sign() <= 0 {
		return n, nil
	}
	x, y, bits := floats(n.a.number, n.b.number)
	if n.b.exact != nil && n.b.exact.Cmp(big.NewRat(1, 2)) == 0 {
		return &node{kind: constant, number: number{float: new(big.Float).SetPrec(bits).Sqrt(x)}}, nil
	}
	v, err := newReal(bits+guard).power(x, y)
	if err != nil {
		return nil, err
	}
	return &node{kind: constant, number: number{float: v.SetPrec(bits)}}, nil
}
