package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what is read: files may be hostile.
const (
	longest = 10_000 // bytes of an expression
	deepest = 50     // groups and classes within each other
	widest  = 1000   // of a count
)

// parser reads an expression.
type parser struct {
	rest    string
	depth   int
	anyCase bool
}

// parse reads a whole expression.
func parse(text string) (*node, error) {
	if len(text) > longest || !utf8.ValidString(text) {
		return nil, fmt.Errorf("an expression of %d bytes, want at most %d of UTF-8", len(text), longest)
	}
	p := &parser{rest: text}
	n, err := p.alternatives()
	if err == nil && p.rest != "" {
		err = errors.New("a ) without its (")
	}
	if err != nil {
		return nil, fmt.Errorf("%w before %.20q", err, p.rest)
	}
	return n, nil
}

// take drops a prefix of what is left, if it is there.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

// next drops and returns a character.
func (p *parser) next() rune {
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	return r
}

// enter counts a level of nesting.
func (p *parser) enter() error {
	if p.depth++; p.depth > deepest {
		return fmt.Errorf("more than %d groups within each other", deepest)
	}
	return nil
}

// alternatives reads up to the end or a closing bracket.
func (p *parser) alternatives() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func(before bool) { p.depth, p.anyCase = p.depth-1, before }(p.anyCase)
	if p.take("(?i)") {
		p.anyCase = true
	}
	all := &node{kind: choice}
	for {
		part, err := p.items()
		if err != nil {
			return nil, err
		}
		all.parts = append(all.parts, part)
		if !p.take("|") {
			break
		}
	}
	if len(all.parts) == 1 {
		return all.parts[0], nil
	}
	return all, nil
}

// items reads what stands between two bars.
func (p *parser) items() (*node, error) {
	all := &node{kind: sequence}
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		item, err := p.atom()
		if err == nil {
			item, err = p.quantified(item)
		}
		if err != nil {
			return nil, err
		}
		if err := p.checkFold(all.parts, item); err != nil {
			return nil, err
		}
		all.parts = append(all.parts, item)
	}
	if len(all.parts) == 1 {
		return all.parts[0], nil
	}
	return all, nil
}

// checkFold refuses letters that, without regard to case, also match one character of two letters such as "ß".
func (p *parser) checkFold(before []*node, item *node) error {
	if !p.anyCase || len(before) == 0 {
		return nil
	}
	a, b := before[len(before)-1], item
	for _, pair := range []string{"ss", "ff", "fi", "fl", "st"} {
		if a.kind == character && b.kind == character && a.set.has(rune(pair[0])) && b.set.has(rune(pair[1])) {
			return fmt.Errorf("%q in any case, which has a character of its own", pair)
		}
	}
	return nil
}

// atom reads one item without its quantifier.
func (p *parser) atom() (*node, error) {
	switch c := p.next(); c {
	case '(':
		return p.group()
	case '[':
		s, err := p.class()
		return &node{kind: character, set: s}, err
	case '.':
		return &node{kind: character, set: single('\n').complement()}, nil
	case '^':
		return &node{kind: lineStart}, nil
	case '$':
		return &node{kind: lineEnd}, nil
	case '*', '+', '?':
		return nil, fmt.Errorf("a %q with nothing to repeat", c)
	case '\\':
		if a, ok := map[string]kind{"A": textStart, "z": textEnd}[p.rest[:min(1, len(p.rest))]]; ok {
			p.rest = p.rest[1:]
			return &node{kind: a}, nil
		}
		sign := p.rest[:min(1, len(p.rest))]
		s, err := p.escape()
		if sign == "w" || sign == "W" {
			s = wordAlone(s, sign == "W")
		}
		return p.literal(s, err)
	default:
		return p.literal(single(c), nil)
	}
}

// literal is a character of a set, in any case if the option is on.
func (p *parser) literal(s set, err error) (*node, error) {
	if err == nil && p.anyCase {
		if s[len(s)-1].hi >= utf8.RuneSelf {
			err = errors.New("characters beyond ASCII in any case")
		}
		s = s.anyCase()
	}
	return &node{kind: character, set: s}, err
}

// quantified reads the quantifier of an item, if there is one.
func (p *parser) quantified(item *node) (*node, error) {
	least, most, braces, ok, err := p.counts()
	if err != nil || !ok {
		return item, err
	}
	n := &node{kind: repeat, parts: []*node{item}, least: least, most: most}
	switch {
	case braces && least == most && strings.HasPrefix(p.rest, "?"):
		return nil, errors.New("a ? behind a count")
	case p.take("?"):
		n.way = lazy
	case !braces && p.take("+"):
		n.way = possessive
	case p.take("+"): // {1,2}+ repeats the repetition
		n = &node{kind: repeat, parts: []*node{n}, least: 1, most: unbounded}
	}
	if p.rest != "" && strings.ContainsRune("*+?", rune(p.rest[0])) {
		return nil, errors.New("a quantifier behind a quantifier")
	}
	return n, checkRepeat(n)
}

// checkRepeat refuses to repeat what may be nothing, without an end.
func checkRepeat(n *node) error {
	for m := n; m.kind == repeat; m = m.parts[0] {
		if m.parts[0].empty() {
			return errors.New("the repetition of something that may be empty")
		}
	}
	return nil
}

// counts reads a quantifier. Braces that hold no counts are characters, as in the reference.
func (p *parser) counts() (least, most int, braces, ok bool, err error) {
	switch {
	case p.take("*"):
		return 0, unbounded, false, true, nil
	case p.take("+"):
		return 1, unbounded, false, true, nil
	case p.take("?"):
		return 0, 1, false, true, nil
	case !strings.HasPrefix(p.rest, "{"):
		return 0, 0, false, false, nil
	}
	inside, after, closed := strings.Cut(p.rest[1:], "}")
	from, to, comma := strings.Cut(inside, ",")
	if !comma {
		to = from
	}
	if !closed || !isCount(from) || !isCount(to) || from == "" && to == "" {
		return 0, 0, false, false, nil
	}
	p.rest = after
	least, most = count(from, 0), count(to, unbounded)
	if !rise(least, most) {
		err = fmt.Errorf("the counts {%.20s}, want them to rise, from 1 to %d", inside, widest)
	}
	return least, most, true, true, err
}

// rise says whether counts are in order and within what is taken.
func rise(least, most int) bool {
	return least <= widest && most <= widest && (most == unbounded || least <= most) && most != 0
}

func isCount(text string) bool { return strings.Trim(text, "0123456789") == "" && len(text) < 9 }

// count is the number that a text holds, or absent where there is none.
func count(text string, absent int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return absent
}
