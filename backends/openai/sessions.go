package openai

import (
	"fmt"
	"math"
	"sync"
)

// sessionTurns are the conversations whose turns were asked. What a server keeps of a conversation may serve its next
// turn, as the rules of benchmarks of conversations let it; of another one it may not.
type sessionTurns struct {
	mu   sync.Mutex
	last map[string]int64           // tokens of the last turn's prompt and answer; unknownTokens: its server did not tell
	at   map[string]*serverEndpoint // the server that has the conversation, of several
}

// unknownTokens are so many that no server keeps more.
const unknownTokens = math.MaxInt64

// sessionTurn is a prompt of a session. nil: one that stands alone.
type sessionTurn struct {
	of      *sessionTurns
	session string
	before  int64           // tokens of the turn before
	at      *serverEndpoint // that was asked for the turns before; nil: this one is the first
}

// nextTurn returns the turn that a prompt of a session is; nil for one that stands alone.
func (s *sessionTurns) nextTurn(session string) *sessionTurn {
	if session == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &sessionTurn{s, session, s.last[session], s.at[session]}
}

// endpointToAsk is the one to ask; nil: any.
func (t *sessionTurn) endpointToAsk() *serverEndpoint {
	if t == nil {
		return nil
	}
	return t.at
}

// bindEndpoint keeps the conversation at a server: only there may something of it be kept.
func (t *sessionTurn) bindEndpoint(e *serverEndpoint) {
	if t == nil || t.at == e {
		return
	}
	t.at = e
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.at == nil {
		t.of.at = map[string]*serverEndpoint{}
	}
	t.of.at[t.session] = e
}

// maxCached is how many tokens of its prompt a server may have kept.
func (t *sessionTurn) maxCached() int64 {
	if t == nil {
		return 0
	}
	return t.before
}

// describeMaxCached says for an error what may be kept.
func (t *sessionTurn) describeMaxCached() string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf(", and the turns before in conversation %q have %d", t.session, t.before)
}

// noteUsage notes what the server counted of the turn.
func (t *sessionTurn) noteUsage(u usageCounts) {
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
