package pattern

import (
	"math/bits"
	"unicode/utf8"
)

// patternMatcher is the working memory of one search.
type patternMatcher struct {
	steps   []programStep
	text    string
	stack   []retryPoint
	retries int
	memory  triedMemory
}

// retryPoint is where to go on when a way does not lead to a match.
type retryPoint struct {
	step, branch int
	at           int
	low          int // of a repetition: it may give back characters as far as that
}

// matchSteps matches the steps from a place on, and returns where the match ends.
func (m *patternMatcher) matchSteps(first, at int) (end int, ok bool) {
	base := len(m.stack)
	defer func() { m.stack = m.stack[:base] }()
	pc := first
	for {
		s := &m.steps[pc]
		if s.code == accept {
			return at, true
		}
		if pc, at, ok = m.takeStep(s, pc, at); ok {
			continue
		}
		if pc, at, ok = m.backtrack(base); !ok {
			return 0, false
		}
	}
}

// takeStep does one step.
func (m *patternMatcher) takeStep(s *programStep, pc, at int) (next, place int, ok bool) {
	switch s.code {
	case one:
		n := s.class.matchLength(m.text[at:])
		return s.next, at + n, n > 0
	case many:
		end, ok := m.takeMany(s, pc, at)
		return s.next, end, ok
	case fork:
		if m.wasTried(s, at) {
			return 0, 0, false
		}
		return m.takeFork(s, pc, at, 0)
	case within:
		return m.matchWithin(s, at)
	}
	return s.next, at, m.matchesPlace(s, at)
}

// matchWithin matches an expression by itself. What its steps have tried may be tried again where it has matched.
func (m *patternMatcher) matchWithin(s *programStep, at int) (next, place int, ok bool) {
	noted := len(m.memory.noted)
	end, found := m.matchSteps(s.sub, at)
	if found {
		m.memory.forgetAfter(noted)
	}
	if found && s.keep {
		at = end
	}
	return s.next, at, found != s.negative
}

// matchesPlace tells whether a place is one that a step wants.
func (m *patternMatcher) matchesPlace(s *programStep, at int) bool {
	switch s.code {
	case after:
		_, size := utf8.DecodeLastRuneInString(m.text[:at])
		return (s.class.matchLength(m.text[at-size:]) > 0 && size > 0) != s.negative
	case atStart:
		return at == 0
	case atEnd:
		return at == len(m.text)
	case atLine:
		return at == 0 || m.text[at-1] == '\n' && at < len(m.text)
	}
	return at == len(m.text) || m.text[at] == '\n'
}

// takeMany takes as many characters as there are, and notes that it may give some back.
func (m *patternMatcher) takeMany(s *programStep, pc, at int) (end int, ok bool) {
	low, count := at, 0
	for end = at; end < len(m.text) && count != s.maxCount; count++ {
		n := 0
		if b := m.text[end]; b >= utf8.RuneSelf {
			n = s.class.matchLength(m.text[end:])
		} else if s.class.ascii[b] {
			n = 1
		}
		if n == 0 {
			break
		}
		if end += n; count+1 == s.minCount {
			low = end
		}
	}
	if count < s.minCount {
		return 0, false
	}
	if low < end && !s.possessive {
		m.stack = append(m.stack, retryPoint{step: pc, at: end, low: low})
	}
	return end, true
}

// takeFork takes the first branch, from one on, that may match, and notes the next.
func (m *patternMatcher) takeFork(s *programStep, pc, at, from int) (next, place int, ok bool) {
	branch := s.firstBranch(m.text[at:], from)
	if branch == len(s.branches) {
		return 0, 0, false
	}
	if other := s.firstBranch(m.text[at:], branch+1); other < len(s.branches) {
		m.stack = append(m.stack, retryPoint{step: pc, branch: other, at: at})
	}
	return s.branches[branch], at, true
}

// firstBranch returns the first branch, from one on, that may match a text.
func (s *programStep) firstBranch(text string, from int) int {
	if s.starts == nil || from >= len(s.branches) {
		return min(from, len(s.branches))
	}
	b := endOfText
	if text != "" {
		b = int(text[0])
	}
	return min(from+bits.TrailingZeros64(s.starts[b]>>from), len(s.branches))
}

// backtrack returns to the last choice.
func (m *patternMatcher) backtrack(base int) (pc, at int, ok bool) {
	for len(m.stack) > base {
		m.retries++
		last := len(m.stack) - 1
		r := &m.stack[last]
		s := &m.steps[r.step]
		if s.code == many {
			_, size := utf8.DecodeLastRuneInString(m.text[:r.at])
			r.at -= size
			at = r.at
			if at == r.low {
				m.stack = m.stack[:last]
			}
			if !m.wasTried(s, at) {
				return s.next, at, true
			}
			continue
		}
		m.stack = m.stack[:last]
		return m.takeFork(s, r.step, r.at, r.branch)
	}
	return 0, 0, false
}

// wasTried notes that a step is tried at a place, and tells whether it was tried there before.
func (m *patternMatcher) wasTried(s *programStep, at int) bool {
	return m.retries > patience && m.memory.noteBit(s.mark*(len(m.text)+1)+at)
}
