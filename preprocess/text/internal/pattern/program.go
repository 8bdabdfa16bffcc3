package pattern

import (
	"fmt"
	"unicode/utf8"
)

// stepCode is the operation of a step.
type stepCode uint8

const (
	acceptStep    stepCode = iota // end of a program, or of a nested expression
	oneStep                       // a character of the class
	manyStep                      // minCount to maxCount characters of the class
	forkStep                      // one of the branches
	nestedStep                    // nested expression at sub; its match is consumed if keep is set
	afterStep                     // a position after a character of the class, or not if negative
	textStartStep                 // start of the text
	textEndStep                   // end of the text
	lineStartStep                 // start of a line
	lineEndStep                   // end of a line
)

// programStep is a step of a program.
type programStep struct {
	code               stepCode
	next               int
	class              *runeClass
	minCount, maxCount int
	possessive         bool
	branches           []int
	starts             *branchStarts // first characters of the branches
	sub                int
	keep               bool // for nestedStep: consume the match
	mark               int  // for forkStep and manyStep: unique number
	negative           bool
}

// maxSteps limits the steps of a program, because counts are expanded.
const maxSteps = 2000

// branchStarts indicates, by the first byte of a text or its end, which of up to 64 branches may match. Each branch has
// a bit.
type branchStarts [257]uint64

const endOfText = 256

// exprCompiler compiles an expression to steps, from its end to its start.
type exprCompiler struct {
	steps []programStep
	marks int
	// Results for nodes that counts expand several times.
	classes map[*exprNode]*runeClass
	starts  map[*exprNode]*branchStarts
}

func newExprCompiler() *exprCompiler {
	return &exprCompiler{classes: map[*exprNode]*runeClass{}, starts: map[*exprNode]*branchStarts{}}
}

// cachedClass returns the class of a node of one character.
func (c *exprCompiler) cachedClass(n *exprNode) *runeClass {
	if c.classes[n] == nil {
		c.classes[n] = newRuneClass(n.set)
	}
	return c.classes[n]
}

func (c *exprCompiler) addStep(s programStep) (int, error) {
	if len(c.steps) == maxSteps {
		return 0, fmt.Errorf("more than %d steps", maxSteps)
	}
	if s.code == manyStep || s.code == forkStep {
		s.mark = c.marks
		c.marks++
	}
	c.steps = append(c.steps, s)
	return len(c.steps) - 1, nil
}

// compileNode adds the steps of a node, which continue with the step next. It returns the first one.
func (c *exprCompiler) compileNode(n *exprNode, next int) (int, error) {
	switch n.kind {
	case characterNode:
		return c.addStep(programStep{code: oneStep, class: c.cachedClass(n), next: next})
	case sequenceNode:
		return c.compileSequence(n.parts, next)
	case choiceNode:
		return c.compileBranches(n, next)
	case repeatNode:
		return c.compileRepeat(n, next)
	case atomicNode, lookaheadNode:
		return c.compileNested(n, next)
	case lookbehindNode:
		return c.addStep(programStep{code: afterStep, class: c.cachedClass(n), negative: n.negative, next: next})
	case emptyNode:
		return next, nil
	}
	place := map[nodeKind]stepCode{textStartNode: textStartStep, textEndNode: textEndStep, lineStartNode: lineStartStep,
		lineEndNode: lineEndStep}[n.kind]
	return c.addStep(programStep{code: place, next: next})
}

func (c *exprCompiler) compileSequence(parts []*exprNode, next int) (first int, err error) {
	first = next
	for i := len(parts) - 1; i >= 0 && err == nil; i-- {
		first, err = c.compileNode(parts[i], first)
	}
	return first, err
}

func (c *exprCompiler) compileBranches(n *exprNode, next int) (int, error) {
	if c.starts[n] == nil {
		c.starts[n] = newBranchStarts(n.parts)
	}
	s := programStep{code: forkStep, starts: c.starts[n]}
	for _, part := range n.parts {
		first, err := c.compileNode(part, next)
		if err != nil {
			return 0, err
		}
		s.branches = append(s.branches, first)
	}
	return c.addStep(s)
}

// compileNested adds a nested expression.
func (c *exprCompiler) compileNested(n *exprNode, next int) (int, error) {
	end, err := c.addStep(programStep{code: acceptStep})
	if err != nil {
		return 0, err
	}
	sub, err := c.compileNode(n.parts[0], end)
	if err != nil {
		return 0, err
	}
	return c.addStep(programStep{code: nestedStep, sub: sub, keep: n.kind == atomicNode, negative: n.negative, next: next})
}

func (c *exprCompiler) compileRepeat(n *exprNode, next int) (int, error) {
	body := n.parts[0]
	if body.kind == characterNode && n.mode != lazyMode {
		return c.addStep(programStep{
			code: manyStep, class: c.cachedClass(body), minCount: n.minCount, maxCount: n.maxCount,
			possessive: n.mode == possessiveMode,
			next:       next,
		})
	}
	if n.mode == possessiveMode {
		plain := *n
		plain.mode = greedyMode
		return c.compileNested(&exprNode{kind: atomicNode, parts: []*exprNode{&plain}}, next)
	}
	first, err := c.compileOptional(n, next)
	for i := 0; i < n.minCount && err == nil; i++ {
		first, err = c.compileNode(body, first)
	}
	return first, err
}

// compileOptional adds the repetitions above the minimum.
func (c *exprCompiler) compileOptional(n *exprNode, next int) (first int, err error) {
	if n.maxCount == unbounded {
		return c.compileLoop(n, next)
	}
	first = next
	for i := n.minCount; i < n.maxCount && err == nil; i++ {
		if first, err = c.compileNode(n.parts[0], first); err == nil {
			first, err = c.addStep(programStep{code: forkStep, branches: orderBranches(n, first, next)})
		}
	}
	return first, err
}

// compileLoop adds a fork with one branch that leads back to it.
func (c *exprCompiler) compileLoop(n *exprNode, next int) (int, error) {
	at, err := c.addStep(programStep{code: forkStep})
	if err != nil {
		return 0, err
	}
	body, err := c.compileNode(n.parts[0], at)
	c.steps[at].branches = orderBranches(n, body, next)
	return at, err
}

// orderBranches returns the branches in the order in which they are tried.
func orderBranches(n *exprNode, again, on int) []int {
	if n.mode == lazyMode {
		return []int{on, again}
	}
	return []int{again, on}
}

// newBranchStarts computes the first characters of branches. A branch that can be empty may start with any character.
func newBranchStarts(parts []*exprNode) *branchStarts {
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
