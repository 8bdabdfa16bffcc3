package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of expressions, because files may be hostile.
const (
	maxLength  = 10_000 // bytes of an expression
	maxDepth   = 50     // nested groups and classes
	maxRepeats = 1000   // maximum count of a quantifier
)

// exprParser parses an expression.
type exprParser struct {
	rest       string
	depth      int
	ignoreCase bool
}

// parseExpression parses a complete expression.
func parseExpression(text string) (*exprNode, error) {
	if len(text) > maxLength || !utf8.ValidString(text) {
		return nil, fmt.Errorf("an expression of %d bytes, want at most %d of UTF-8", len(text), maxLength)
	}
	p := &exprParser{rest: text}
	n, err := p.parseAlternatives()
	if err == nil && p.rest != "" {
		err = errors.New("a ) without its (")
	}
	if err != nil {
		return nil, fmt.Errorf("%w before %.20q", err, p.rest)
	}
	return n, nil
}

// acceptPrefix consumes a prefix of the remaining text and reports whether it was there.
func (p *exprParser) acceptPrefix(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	if ok {
		p.rest = rest
	}
	return ok
}

// nextRune consumes and returns a character.
func (p *exprParser) nextRune() rune {
	r, size := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[size:]
	return r
}

// enterLevel increments the nesting depth and checks its limit.
func (p *exprParser) enterLevel() error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("more than %d groups within each other", maxDepth)
	}
	return nil
}

// parseAlternatives parses up to the end or a closing parenthesis.
func (p *exprParser) parseAlternatives() (*exprNode, error) {
	if err := p.enterLevel(); err != nil {
		return nil, err
	}
	defer func(before bool) { p.depth, p.ignoreCase = p.depth-1, before }(p.ignoreCase)
	if p.acceptPrefix("(?i)") {
		p.ignoreCase = true
	}
	all := &exprNode{kind: choiceNode}
	for {
		part, err := p.parseItems()
		if err != nil {
			return nil, err
		}
		all.parts = append(all.parts, part)
		if !p.acceptPrefix("|") {
			break
		}
	}
	if len(all.parts) == 1 {
		return all.parts[0], nil
	}
	return all, nil
}

// parseItems parses a sequence up to the next bar.
func (p *exprParser) parseItems() (*exprNode, error) {
	all := &exprNode{kind: sequenceNode}
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		item, err := p.parseAtom()
		if err == nil {
			item, err = p.parseQuantifier(item)
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

// checkFold rejects letters that, if case is ignored, match together a single character such as "ß".
func (p *exprParser) checkFold(before []*exprNode, item *exprNode) error {
	if !p.ignoreCase || len(before) == 0 {
		return nil
	}
	a, b := before[len(before)-1], item
	for _, pair := range []string{"ss", "ff", "fi", "fl", "st"} {
		if a.kind == characterNode && b.kind == characterNode && a.set.contains(rune(pair[0])) &&
			b.set.contains(rune(pair[1])) {
			return fmt.Errorf("%q in any case, which has a character of its own", pair)
		}
	}
	return nil
}

// parseAtom parses an item without its quantifier.
func (p *exprParser) parseAtom() (*exprNode, error) {
	switch c := p.nextRune(); c {
	case '(':
		return p.parseGroup()
	case '[':
		s, err := p.parseClass()
		return &exprNode{kind: characterNode, set: s}, err
	case '.':
		return &exprNode{kind: characterNode, set: singleRune('\n').complement()}, nil
	case '^':
		return &exprNode{kind: lineStartNode}, nil
	case '$':
		return &exprNode{kind: lineEndNode}, nil
	case '*', '+', '?':
		return nil, fmt.Errorf("a %q with nothing to repeat", c)
	case '\\':
		if a, ok := map[string]nodeKind{"A": textStartNode, "z": textEndNode}[p.rest[:min(1, len(p.rest))]]; ok {
			p.rest = p.rest[1:]
			return &exprNode{kind: a}, nil
		}
		sign := p.rest[:min(1, len(p.rest))]
		s, err := p.parseEscape()
		if sign == "w" || sign == "W" {
			s = wordOutsideClass(s, sign == "W")
		}
		return p.newLiteralNode(s, err)
	default:
		return p.newLiteralNode(singleRune(c), nil)
	}
}

// newLiteralNode returns a node for one character of a set. If the option is on, it ignores case.
func (p *exprParser) newLiteralNode(s runeSet, err error) (*exprNode, error) {
	if err == nil && p.ignoreCase {
		if s[len(s)-1].hi >= utf8.RuneSelf {
			err = errors.New("characters beyond ASCII in any case")
		}
		s = s.foldASCII()
	}
	return &exprNode{kind: characterNode, set: s}, err
}

// parseQuantifier parses the quantifier of an item if there is one.
func (p *exprParser) parseQuantifier(item *exprNode) (*exprNode, error) {
	minCount, maxCount, braces, ok, err := p.parseCounts()
	if err != nil || !ok {
		return item, err
	}
	n := &exprNode{kind: repeatNode, parts: []*exprNode{item}, minCount: minCount, maxCount: maxCount}
	switch {
	case braces && minCount == maxCount && strings.HasPrefix(p.rest, "?"):
		return nil, errors.New("a ? behind a count")
	case p.acceptPrefix("?"):
		n.mode = lazyMode
	case !braces && p.acceptPrefix("+"):
		n.mode = possessiveMode
	case p.acceptPrefix("+"): // {1,2}+ repeats the repetition
		n = &exprNode{kind: repeatNode, parts: []*exprNode{n}, minCount: 1, maxCount: unbounded}
	}
	if p.rest != "" && strings.ContainsRune("*+?", rune(p.rest[0])) {
		return nil, errors.New("a quantifier behind a quantifier")
	}
	return n, checkRepeat(n)
}

// checkRepeat rejects unlimited repetition of an expression that can be empty.
func checkRepeat(n *exprNode) error {
	for m := n; m.kind == repeatNode; m = m.parts[0] {
		if m.parts[0].mayBeEmpty() {
			return errors.New("the repetition of something that may be empty")
		}
	}
	return nil
}

// parseCounts parses a quantifier. Braces without counts are ordinary characters, as in the reference.
func (p *exprParser) parseCounts() (minCount, maxCount int, braces, ok bool, err error) {
	switch {
	case p.acceptPrefix("*"):
		return 0, unbounded, false, true, nil
	case p.acceptPrefix("+"):
		return 1, unbounded, false, true, nil
	case p.acceptPrefix("?"):
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
	minCount, maxCount = parseCount(from, 0), parseCount(to, unbounded)
	if !areOrdered(minCount, maxCount) {
		err = fmt.Errorf("the counts {%.20s}, want them to rise, from 1 to %d", inside, maxRepeats)
	}
	return minCount, maxCount, true, true, err
}

// areOrdered reports whether counts are in order and within the limit.
func areOrdered(minCount, maxCount int) bool {
	return minCount <= maxRepeats && maxCount <= maxRepeats && (maxCount == unbounded || minCount <= maxCount) &&
		maxCount != 0
}

func isCount(text string) bool { return strings.Trim(text, "0123456789") == "" && len(text) < 9 }

// parseCount returns the number in a text, or absent if the text is empty.
func parseCount(text string, absent int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return absent
}
