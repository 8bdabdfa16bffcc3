package pattern

import (
	"math/bits"
	"unicode/utf8"
)

// matcher is the working memory of one search.
type matcher struct {
	steps   []step
	text    string
	stack   []retry
	retries int
	memory  memory
}

// retry is where to go on when a way does not lead to a match.
type retry struct {
	step, branch int
	at           int
	low          int // of a repetition: it may give back characters as far as that
}

// run matches the steps from a place on, and returns where the match ends.
func (m *matcher) run(first, at int) (end int, ok bool) {
	base := len(m.stack)
	defer func() { m.stack = m.stack[:base] }()
	pc := first
	for {
		s := &m.steps[pc]
		if s.code == accept {
			return at, true
		}
		if pc, at, ok = m.take(s, pc, at); ok {
			continue
		}
		if pc, at, ok = m.back(base); !ok {
			return 0, false
		}
	}
}

// take does one step.
func (m *matcher) take(s *step, pc, at int) (next, place int, ok bool) {
	switch s.code {
	case one:
		n := s.class.match(m.text[at:])
		return s.next, at + n, n > 0
	case many:
		end, ok := m.many(s, pc, at)
		return s.next, end, ok
	case fork:
		if m.tried(s, at) {
			return 0, 0, false
		}
		return m.fork(s, pc, at, 0)
	case within:
		return m.within(s, at)
	}
	return s.next, at, m.place(s, at)
}

// within matches an expression by itself. What its steps have tried may be tried again where it has matched.
func (m *matcher) within(s *step, at int) (next, place int, ok bool) {
	noted := len(m.memory.noted)
	end, found := m.run(s.sub, at)
	if found {
		m.memory.forget(noted)
	}
	if found && s.keep {
		at = end
	}
	return s.next, at, found != s.negative
}

// place tells whether a place is one that a step wants.
func (m *matcher) place(s *step, at int) bool {
	switch s.code {
	case after:
		_, size := utf8.DecodeLastRuneInString(m.text[:at])
		return (s.class.match(m.text[at-size:]) > 0 && size > 0) != s.negative
	case atStart:
		return at == 0
	case atEnd:
		return at == len(m.text)
	case atLine:
		return at == 0 || m.text[at-1] == '\n' && at < len(m.text)
	}
	return at == len(m.text) || m.text[at] == '\n'
}

// many takes as many characters as there are, and notes that it may give some back.
func (m *matcher) many(s *step, pc, at int) (end int, ok bool) {
	low, count := at, 0
	for end = at; end < len(m.text) && count != s.most; count++ {
		n := 0
		if b := m.text[end]; b >= utf8.RuneSelf {
			n = s.class.match(m.text[end:])
		} else if s.class.ascii[b] {
			n = 1
		}
		if n == 0 {
			break
		}
		if end += n; count+1 == s.least {
			low = end
		}
	}
	if count < s.least {
		return 0, false
	}
	if low < end && !s.possessive {
		m.stack = append(m.stack, retry{step: pc, at: end, low: low})
	}
	return end, true
}

// fork takes the first branch, from one on, that may match, and notes the next.
func (m *matcher) fork(s *step, pc, at, from int) (next, place int, ok bool) {
	branch := s.branch(m.text[at:], from)
	if branch == len(s.branches) {
		return 0, 0, false
	}
	if other := s.branch(m.text[at:], branch+1); other < len(s.branches) {
		m.stack = append(m.stack, retry{step: pc, branch: other, at: at})
	}
	return s.branches[branch], at, true
}

// branch is the first, from one on, that a text may be matched by.
func (s *step) branch(text string, from int) int {
	if s.starts == nil || from >= len(s.branches) {
		return min(from, len(s.branches))
	}
	b := endOfText
	if text != "" {
		b = int(text[0])
	}
	return min(from+bits.TrailingZeros64(s.starts[b]>>from), len(s.branches))
}

// back returns to the last choice.
func (m *matcher) back(base int) (pc, at int, ok bool) {
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
			if !m.tried(s, at) {
				return s.next, at, true
			}
			continue
		}
		m.stack = m.stack[:last]
		return m.fork(s, r.step, r.at, r.branch)
	}
	return 0, 0, false
}

// tried notes that a step is tried at a place, and tells whether it has been before.
func (m *matcher) tried(s *step, at int) bool {
	return m.retries > patience && m.memory.note(s.mark*(len(m.text)+1)+at)
}
