package pattern

import (
	"fmt"
	"unicode/utf8"
)

// code is what a step does.
type code uint8

const (
	accept  code = iota // the end of a program, or of an expression within another
	one                 // a character of the class
	many                // least to most characters of the class
	fork                // one of the branches
	within              // the expression at sub, by itself: keep its match, or only whether there is one
	after               // behind a character of the class, or not: negative
	atStart             // of the text
	atEnd               // of the text
	atLine              // the start of a line
	atBreak             // the end of a line
)

// step is one of a program.
type step struct {
	code        code
	next        int
	class       *class
	least, most int
	possessive  bool
	branches    []int
	starts      *starts // of the branches
	sub         int
	keep        bool // within: what it matches is matched
	mark        int  // fork, many: a number of its own
	negative    bool
}

// most steps of a program: counts are written out.
const mostSteps = 2000

// starts tells by the first byte of a text, or its end, which of up to 64 branches may match: a bit for each.
type starts [257]uint64

const endOfText = 256

// compiler turns an expression into steps, from its end to its start.
type compiler struct {
	steps []step
	marks int
	// What counts write out many times is worked out once.
	classes map[*node]*class
	starts  map[*node]*starts
}

func newCompiler() *compiler {
	return &compiler{classes: map[*node]*class{}, starts: map[*node]*starts{}}
}

// class is that of a node of one character.
func (c *compiler) class(n *node) *class {
	if c.classes[n] == nil {
		c.classes[n] = newClass(n.set)
	}
	return c.classes[n]
}

func (c *compiler) add(s step) (int, error) {
	if len(c.steps) == mostSteps {
		return 0, fmt.Errorf("more than %d steps", mostSteps)
	}
	if s.code == many || s.code == fork {
		s.mark = c.marks
		c.marks++
	}
	c.steps = append(c.steps, s)
	return len(c.steps) - 1, nil
}

// compile adds the steps of a node that go on with the step next, and returns the first.
func (c *compiler) compile(n *node, next int) (int, error) {
	switch n.kind {
	case character:
		return c.add(step{code: one, class: c.class(n), next: next})
	case sequence:
		return c.inOrder(n.parts, next)
	case choice:
		return c.branches(n, next)
	case repeat:
		return c.repeat(n, next)
	case atomic, look:
		return c.within(n, next)
	case behind:
		return c.add(step{code: after, class: c.class(n), negative: n.negative, next: next})
	case nothing:
		return next, nil
	}
	place := map[kind]code{textStart: atStart, textEnd: atEnd, lineStart: atLine, lineEnd: atBreak}[n.kind]
	return c.add(step{code: place, next: next})
}

func (c *compiler) inOrder(parts []*node, next int) (first int, err error) {
	first = next
	for i := len(parts) - 1; i >= 0 && err == nil; i-- {
		first, err = c.compile(parts[i], first)
	}
	return first, err
}

func (c *compiler) branches(n *node, next int) (int, error) {
	if c.starts[n] == nil {
		c.starts[n] = startsOf(n.parts)
	}
	s := step{code: fork, starts: c.starts[n]}
	for _, part := range n.parts {
		first, err := c.compile(part, next)
		if err != nil {
			return 0, err
		}
		s.branches = append(s.branches, first)
	}
	return c.add(s)
}

// within adds an expression that is matched by itself.
func (c *compiler) within(n *node, next int) (int, error) {
	end, err := c.add(step{code: accept})
	if err != nil {
		return 0, err
	}
	sub, err := c.compile(n.parts[0], end)
	if err != nil {
		return 0, err
	}
	return c.add(step{code: within, sub: sub, keep: n.kind == atomic, negative: n.negative, next: next})
}

func (c *compiler) repeat(n *node, next int) (int, error) {
	body := n.parts[0]
	if body.kind == character && n.way != lazy {
		return c.add(step{
			code: many, class: c.class(body), least: n.least, most: n.most, possessive: n.way == possessive, next: next,
		})
	}
	if n.way == possessive {
		plain := *n
		plain.way = greedy
		return c.within(&node{kind: atomic, parts: []*node{&plain}}, next)
	}
	first, err := c.optional(n, next)
	for i := 0; i < n.least && err == nil; i++ {
		first, err = c.compile(body, first)
	}
	return first, err
}

// optional adds the repetitions beyond the least.
func (c *compiler) optional(n *node, next int) (first int, err error) {
	if n.most == unbounded {
		return c.loop(n, next)
	}
	first = next
	for i := n.least; i < n.most && err == nil; i++ {
		if first, err = c.compile(n.parts[0], first); err == nil {
			first, err = c.add(step{code: fork, branches: preferred(n, first, next)})
		}
	}
	return first, err
}

// loop adds a fork whose one branch leads back to it.
func (c *compiler) loop(n *node, next int) (int, error) {
	at, err := c.add(step{code: fork})
	if err != nil {
		return 0, err
	}
	body, err := c.compile(n.parts[0], at)
	c.steps[at].branches = preferred(n, body, next)
	return at, err
}

// preferred puts the branch first that is tried first.
func preferred(n *node, again, on int) []int {
	if n.way == lazy {
		return []int{on, again}
	}
	return []int{again, on}
}

// startsOf finds what branches may start with. One that may be nothing may start with anything.
func startsOf(parts []*node) *starts {
	if len(parts) > 64 {
		return nil
	}
	var s starts
	for i, part := range parts {
		s.add(part, i)
	}
	return &s
}

func (s *starts) add(n *node, branch int) {
	first, all := n.first(), n.empty()
	beyond := len(first) > 0 && first[len(first)-1].hi >= utf8.RuneSelf
	for b := range s {
		switch {
		case all, b < utf8.RuneSelf && first.has(rune(b)), b >= utf8.RuneSelf && b != endOfText && beyond:
			s[b] |= 1 << branch
		}
	}
}
