package pattern

import (
	"fmt"
	"unicode/utf8"
)

// stepCode is what a step does.
type stepCode uint8

const (
	accept  stepCode = iota // the end of a program, or of an expression within another
	one                     // a character of the class
	many                    // least to most characters of the class
	fork                    // one of the branches
	within                  // the expression at sub, by itself: keep its match, or only whether there is one
	after                   // behind a character of the class, or not: negative
	atStart                 // of the text
	atEnd                   // of the text
	atLine                  // the start of a line
	atBreak                 // the end of a line
)

// programStep is a step of a program.
type programStep struct {
	code               stepCode
	next               int
	class              *runeClass
	minCount, maxCount int
	possessive         bool
	branches           []int
	starts             *branchStarts // of the branches
	sub                int
	keep               bool // within: what it matches is matched
	mark               int  // fork, many: a number of its own
	negative           bool
}

// most steps of a program: counts are written out.
const maxSteps = 2000

// branchStarts tells by the first byte of a text, or its end, which of up to 64 branches may match: a bit for each.
type branchStarts [257]uint64

const endOfText = 256

// exprCompiler turns an expression into steps, from its end to its start.
type exprCompiler struct {
	steps []programStep
	marks int
	// What counts write out many times is worked out once.
	classes map[*exprNode]*runeClass
	starts  map[*exprNode]*branchStarts
}

func newCompiler() *exprCompiler {
	return &exprCompiler{classes: map[*exprNode]*runeClass{}, starts: map[*exprNode]*branchStarts{}}
}

// classOf returns the class of a node of one character.
func (c *exprCompiler) classOf(n *exprNode) *runeClass {
	if c.classes[n] == nil {
		c.classes[n] = newClass(n.set)
	}
	return c.classes[n]
}

func (c *exprCompiler) addStep(s programStep) (int, error) {
	if len(c.steps) == maxSteps {
		return 0, fmt.Errorf("more than %d steps", maxSteps)
	}
	if s.code == many || s.code == fork {
		s.mark = c.marks
		c.marks++
	}
	c.steps = append(c.steps, s)
	return len(c.steps) - 1, nil
}

// compileNode adds the steps of a node that go on with the step next, and returns the first.
func (c *exprCompiler) compileNode(n *exprNode, next int) (int, error) {
	switch n.kind {
	case character:
		return c.addStep(programStep{code: one, class: c.classOf(n), next: next})
	case sequence:
		return c.inOrder(n.parts, next)
	case choice:
		return c.compileBranches(n, next)
	case repeat:
		return c.compileRepeat(n, next)
	case atomic, look:
		return c.compileWithin(n, next)
	case behind:
		return c.addStep(programStep{code: after, class: c.classOf(n), negative: n.negative, next: next})
	case nothing:
		return next, nil
	}
	place := map[nodeKind]stepCode{textStart: atStart, textEnd: atEnd, lineStart: atLine, lineEnd: atBreak}[n.kind]
	return c.addStep(programStep{code: place, next: next})
}

func (c *exprCompiler) inOrder(parts []*exprNode, next int) (first int, err error) {
	first = next
	for i := len(parts) - 1; i >= 0 && err == nil; i-- {
		first, err = c.compileNode(parts[i], first)
	}
	return first, err
}

func (c *exprCompiler) compileBranches(n *exprNode, next int) (int, error) {
	if c.starts[n] == nil {
		c.starts[n] = startsOf(n.parts)
	}
	s := programStep{code: fork, starts: c.starts[n]}
	for _, part := range n.parts {
		first, err := c.compileNode(part, next)
		if err != nil {
			return 0, err
		}
		s.branches = append(s.branches, first)
	}
	return c.addStep(s)
}

// compileWithin adds an expression that is matched by itself.
func (c *exprCompiler) compileWithin(n *exprNode, next int) (int, error) {
	end, err := c.addStep(programStep{code: accept})
	if err != nil {
		return 0, err
	}
	sub, err := c.compileNode(n.parts[0], end)
	if err != nil {
		return 0, err
	}
	return c.addStep(programStep{code: within, sub: sub, keep: n.kind == atomic, negative: n.negative, next: next})
}

func (c *exprCompiler) compileRepeat(n *exprNode, next int) (int, error) {
	body := n.parts[0]
	if body.kind == character && n.mode != lazy {
		return c.addStep(programStep{
			code: many, class: c.classOf(body), minCount: n.minCount, maxCount: n.maxCount, possessive: n.mode == possessive,
			next: next,
		})
	}
	if n.mode == possessive {
		plain := *n
		plain.mode = greedy
		return c.compileWithin(&exprNode{kind: atomic, parts: []*exprNode{&plain}}, next)
	}
	first, err := c.compileOptional(n, next)
	for i := 0; i < n.minCount && err == nil; i++ {
		first, err = c.compileNode(body, first)
	}
	return first, err
}

// compileOptional adds the repetitions beyond the minimum.
func (c *exprCompiler) compileOptional(n *exprNode, next int) (first int, err error) {
	if n.maxCount == unbounded {
		return c.compileLoop(n, next)
	}
	first = next
	for i := n.minCount; i < n.maxCount && err == nil; i++ {
		if first, err = c.compileNode(n.parts[0], first); err == nil {
			first, err = c.addStep(programStep{code: fork, branches: orderBranches(n, first, next)})
		}
	}
	return first, err
}

// compileLoop adds a fork, of which one branch leads back to it.
func (c *exprCompiler) compileLoop(n *exprNode, next int) (int, error) {
	at, err := c.addStep(programStep{code: fork})
	if err != nil {
		return 0, err
	}
	body, err := c.compileNode(n.parts[0], at)
	c.steps[at].branches = orderBranches(n, body, next)
	return at, err
}

// orderBranches returns the branches in the order in which they are tried.
func orderBranches(n *exprNode, again, on int) []int {
	if n.mode == lazy {
		return []int{on, again}
	}
	return []int{again, on}
}

// startsOf finds what branches may start with. One that may be nothing may start with anything.
func startsOf(parts []*exprNode) *branchStarts {
	if len(parts) > 64 {
		return nil
	}
	var s branchStarts
	for i, part := range parts {
		s.addBranch(part, i)
	}
	return &s
}

func (s *branchStarts) addBranch(n *exprNode, branch int) {
	first, all := n.firstCharacters(), n.mayBeEmpty()
	beyond := len(first) > 0 && first[len(first)-1].hi >= utf8.RuneSelf
	for b := range s {
		switch {
		case all, b < utf8.RuneSelf && first.contains(rune(b)), b >= utf8.RuneSelf && b != endOfText && beyond:
			s[b] |= 1 << branch
		}
	}
}
