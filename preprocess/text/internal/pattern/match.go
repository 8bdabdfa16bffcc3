package pattern

import (
	"math/bits"
	"unicode/utf8"
)

// patternMatcher is the working memory of a search.
type patternMatcher struct {
	steps   []programStep
	text    string
	stack   []retryPoint
	retries int
	memory  triedMemory
}

// retryPoint is a state to which the search returns if the current path does not match.
type retryPoint struct {
	step, branch int
	at           int
	low          int // for repetitions: the minimum position to which it may give back characters
}

// matchSteps matches the steps from a position on and returns the end of the match.
func (m *patternMatcher) matchSteps(first, at int) (end int, ok bool) {
	base := len(m.stack)
	defer func() { m.stack = m.stack[:base] }()
	pc := first
	for {
		s := &m.steps[pc]
		if s.code == acceptStep {
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

// takeStep executes one step.
func (m *patternMatcher) takeStep(s *programStep, pc, at int) (next, place int, ok bool) {
	switch s.code {
	case oneStep:
		n := s.class.matchLength(m.text[at:])
		return s.next, at + n, n > 0
	case manyStep:
		end, ok := m.takeMany(s, pc, at)
		return s.next, end, ok
	case forkStep:
		if m.wasTried(s, at) {
			return 0, 0, false
		}
		return m.takeFork(s, pc, at, 0)
	case nestedStep:
		return m.matchWithin(s, at)
	}
	return s.next, at, m.matchesPosition(s, at)
}

// matchWithin matches a nested expression. After a match, its steps may be tried again.
func (m *patternMatcher) matchWithin(s *programStep, at int) (next, place int, ok bool) {
	noted := len(m.memory.setBits)
	end, found := m.matchSteps(s.sub, at)
	if found {
		m.memory.keepFirst(noted)
	}
	if found && s.keep {
		at = end
	}
	return s.next, at, found != s.negative
}

// matchesPosition reports whether a step's condition on the position holds.
func (m *patternMatcher) matchesPosition(s *programStep, at int) bool {
	switch s.code {
	case afterStep:
		_, size := utf8.DecodeLastRuneInString(m.text[:at])
		return (s.class.matchLength(m.text[at-size:]) > 0 && size > 0) != s.negative
	case textStartStep:
		return at == 0
	case textEndStep:
		return at == len(m.text)
	case lineStartStep:
		return at == 0 || m.text[at-1] == '\n' && at < len(m.text)
	}
	return at == len(m.text) || m.text[at] == '\n'
}

// takeMany consumes as many characters as possible, and records that it may give some back.
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

// takeFork takes the first branch from index from on that may match, and records the next one.
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

// firstBranch returns the first branch from index from on that may match a text.
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

// backtrack returns to the last recorded choice.
func (m *patternMatcher) backtrack(base int) (pc, at int, ok bool) {
	for len(m.stack) > base {
		m.retries++
		last := len(m.stack) - 1
		r := &m.stack[last]
		s := &m.steps[r.step]
		if s.code == manyStep {
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

// wasTried records that a step is tried at a position, and reports whether it was tried there before.
func (m *patternMatcher) wasTried(s *programStep, at int) bool {
	return m.retries > minRecordedRetries && m.memory.noteBit(s.mark*(len(m.text)+1)+at)
}
