package pattern

import (
	"errors"
	"fmt"
	"strings"
)

// parseGroup parses the part of a group after its opening parenthesis.
func (p *exprParser) parseGroup() (*exprNode, error) {
	n, err := p.parseOpened()
	if err != nil {
		return nil, err
	}
	if !p.acceptPrefix(")") {
		return nil, errors.New("a ( without its )")
	}
	if n.kind == behind {
		return n.oneBehind()
	}
	return n, nil
}

func (p *exprParser) parseOpened() (*exprNode, error) {
	before := p.anyCase
	defer func() { p.anyCase = before }()
	switch {
	case !strings.HasPrefix(p.rest, "?"), p.acceptPrefix("?:"):
		return p.parseAlternatives()
	case p.acceptPrefix("?i:"):
		p.anyCase = true
		return p.parseAlternatives()
	case p.acceptPrefix("?-i:"):
		p.anyCase = false
		return p.parseAlternatives()
	}
	for _, special := range []struct {
		sign string
		node exprNode
	}{
		{"?>", exprNode{kind: atomic}}, {"?=", exprNode{kind: look}}, {"?!", exprNode{kind: look, negative: true}},
		{"?<=", exprNode{kind: behind}}, {"?<!", exprNode{kind: behind, negative: true}},
	} {
		if p.acceptPrefix(special.sign) {
			inside, err := p.parseAlternatives()
			n := special.node
			n.parts = []*exprNode{inside}
			return &n, err
		}
	}
	return nil, fmt.Errorf("the group (%.5s", p.rest)
}

// oneBehind converts a node to a lookbehind. The node must be one character.
func (n *exprNode) oneBehind() (*exprNode, error) {
	if n.parts[0].kind != character {
		return nil, errors.New("a lookbehind of anything but one character")
	}
	n.set = n.parts[0].set
	return n, nil
}
