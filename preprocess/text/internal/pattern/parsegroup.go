package pattern

import (
	"errors"
	"fmt"
	"strings"
)

// group reads what follows an opening bracket, to the closing one.
func (p *parser) group() (*node, error) {
	n, err := p.opened()
	if err != nil {
		return nil, err
	}
	if !p.take(")") {
		return nil, errors.New("a ( without its )")
	}
	if n.kind == behind {
		return n.oneBehind()
	}
	return n, nil
}

func (p *parser) opened() (*node, error) {
	before := p.anyCase
	defer func() { p.anyCase = before }()
	switch {
	case !strings.HasPrefix(p.rest, "?"), p.take("?:"):
		return p.alternatives()
	case p.take("?i:"):
		p.anyCase = true
		return p.alternatives()
	case p.take("?-i:"):
		p.anyCase = false
		return p.alternatives()
	}
	for _, special := range []struct {
		sign string
		node node
	}{
		{"?>", node{kind: atomic}}, {"?=", node{kind: look}}, {"?!", node{kind: look, negative: true}},
		{"?<=", node{kind: behind}}, {"?<!", node{kind: behind, negative: true}},
	} {
		if p.take(special.sign) {
			inside, err := p.alternatives()
			n := special.node
			n.parts = []*node{inside}
			return &n, err
		}
	}
	return nil, fmt.Errorf("the group (%.5s", p.rest)
}

// oneBehind is a lookbehind, whose expression has to be one character.
func (n *node) oneBehind() (*node, error) {
	if n.parts[0].kind != character {
		return nil, errors.New("a lookbehind of anything but one character")
	}
	n.set = n.parts[0].set
	return n, nil
}
