package pattern

import (
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"
)

// ErrPattern is wrapped by errors of Compile about invalid or unsupported expressions.
var ErrPattern = errors.New("regular expression")

// Pattern is a compiled regular expression. It is read-only and safe for concurrent use.
type Pattern struct {
	steps     []programStep
	firstStep int
	starts    *branchStarts
	matchers  sync.Pool
}

// Compile compiles an expression, which must not match an empty text.
func Compile(text string) (*Pattern, error) {
	n, err := parseExpression(text)
	if err == nil && n.mayBeEmpty() {
		err = errors.New("it may match nothing of a text")
	}
	if err != nil {
		return nil, fmt.Errorf("%w %.200q: %w", ErrPattern, text, err)
	}
	c := newExprCompiler()
	end, err := c.addStep(programStep{code: acceptStep})
	p := &Pattern{starts: newBranchStarts([]*exprNode{n})}
	if err == nil {
		p.firstStep, err = c.compileNode(n, end)
	}
	if err != nil {
		return nil, fmt.Errorf("%w %.200q: %w", ErrPattern, text, err)
	}
	p.steps = c.steps
	return p, nil
}

// Each calls yield with the parts of a UTF-8 text in order: the matches and the text between them. Each match is
// searched from the end of the previous one. No part is empty.
func (p *Pattern) Each(text string, yield func(part string, match bool)) {
	m, ok := p.matchers.Get().(*patternMatcher)
	if !ok {
		m = &patternMatcher{steps: p.steps}
	}
	m.text = text
	done := 0
	for at := 0; at < len(text); {
		start, end, ok := p.findMatch(m, at)
		if !ok {
			break
		}
		if done < start {
			yield(text[done:start], false)
		}
		yield(text[start:end], true)
		done, at = end, end
	}
	if done < len(text) {
		yield(text[done:], false)
	}
	m.text = ""
	p.matchers.Put(m)
}

// findMatch returns the first match from a position on.
func (p *Pattern) findMatch(m *patternMatcher, from int) (start, end int, ok bool) {
	m.retries = 0
	defer func() {
		if len(m.memory.setBits) > 0 {
			m.memory.keepFirst(0)
		}
	}()
	for at := from; at < len(m.text); {
		b := m.text[at]
		if p.starts[b] != 0 {
			if end, ok = m.matchSteps(p.firstStep, at); ok {
				return at, end, true
			}
		}
		if b < utf8.RuneSelf {
			at++
			continue
		}
		_, size := utf8.DecodeRuneInString(m.text[at:])
		at += size
	}
	return 0, 0, false
}
