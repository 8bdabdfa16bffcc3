package openai

import (
	"fmt"
	"math"
	"sync"
)

// sessions are the conversations whose turns were asked. What a server keeps of a conversation may serve its next turn,
// as the rules of benchmarks of conversations let it; of another one it may not.
type sessions struct {
	mu   sync.Mutex
	last map[string]int64     // tokens of the last turn's prompt and answer; unknownTokens: its server did not tell
	at   map[string]*endpoint // the server that has the conversation, of several
}

// unknownTokens are so many that no server keeps more.
const unknownTokens = math.MaxInt64

// turn is a prompt of a session. nil: one that stands alone.
type turn struct {
	of      *sessions
	session string
	before  int64     // tokens of the turn before
	at      *endpoint // that was asked for the turns before; nil: this one is the first
}

// turn returns the turn that a prompt of a session is; nil for one that stands alone.
func (s *sessions) turn(session string) *turn {
	if session == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &turn{s, session, s.last[session], s.at[session]}
}

// server is the one to ask; nil: any.
func (t *turn) server() *endpoint {
	if t == nil {
		return nil
	}
	return t.at
}

// bind keeps the conversation at a server: only there may something of it be kept.
func (t *turn) bind(e *endpoint) {
	if t == nil || t.at == e {
		return
	}
	t.at = e
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.at == nil {
		t.of.at = map[string]*endpoint{}
	}
	t.of.at[t.session] = e
}

// kept is how many tokens of its prompt a server may have kept.
func (t *turn) kept() int64 {
	if t == nil {
		return 0
	}
	return t.before
}

// beyond says for an error what may be kept.
func (t *turn) beyond() string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf(", and the turns before in conversation %q have %d", t.session, t.before)
}

// note takes what the server counted of the turn.
func (t *turn) note(u usage) {
	if t == nil {
		return
	}
	n := int64(unknownTokens)
	if u.known && u.tells&tellsPrompt != 0 {
		n = u.prompt + u.completion
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.last == nil {
		t.of.last = map[string]int64{}
	}
	t.of.last[t.session] = n
}
