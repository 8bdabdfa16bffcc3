package pattern

import (
	"errors"
	"fmt"
	"strings"
)

// parseGroup parses the part of a group after its opening parenthesis.
func (p *exprParser) parseGroup() (*exprNode, error) {
	n, err := p.parseGroupContent()
	if err != nil {
		return nil, err
	}
	if !p.acceptPrefix(")") {
		return nil, errors.New("a ( without its )")
	}
	if n.kind == lookbehindNode {
		return n.toLookbehind()
	}
	return n, nil
}

func (p *exprParser) parseGroupContent() (*exprNode, error) {
	before := p.ignoreCase
	defer func() { p.ignoreCase = before }()
	switch {
	case !strings.HasPrefix(p.rest, "?"), p.acceptPrefix("?:"):
		return p.parseAlternatives()
	case p.acceptPrefix("?i:"):
		p.ignoreCase = true
		return p.parseAlternatives()
	case p.acceptPrefix("?-i:"):
		p.ignoreCase = false
		return p.parseAlternatives()
	}
	for _, special := range []struct {
		sign string
		node exprNode
	}{
		{"?>", exprNode{kind: atomicNode}}, {"?=", exprNode{kind: lookaheadNode}}, {"?!", exprNode{kind: lookaheadNode,
			negative: true}},
		{"?<=", exprNode{kind: lookbehindNode}}, {"?<!", exprNode{kind: lookbehindNode, negative: true}},
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

// toLookbehind converts a node to a lookbehind. The node must be one character.
func (n *exprNode) toLookbehind() (*exprNode, error) {
	if n.parts[0].kind != characterNode {
		return nil, errors.New("a lookbehind of anything but one character")
	}
	n.set = n.parts[0].set
	return n, nil
}
