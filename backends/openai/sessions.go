package openai

import (
	"fmt"
	"math"
	"sync"
)

// sessionTurns stores the conversations whose turns were sent. The rules of benchmarks of conversations permit a server
// to reuse its cache of a conversation for the next turn, but not for other conversations.
type sessionTurns struct {
	mu         sync.Mutex
	lastTokens map[string]int64           // tokens of the last turn's prompt and answer; unknownTokens: not reported
	endpoints  map[string]*serverEndpoint // server of each conversation
}

// unknownTokens is the upper limit used if a number of tokens is unknown.
const unknownTokens = math.MaxInt64

// sessionTurn is a prompt of a session; nil: a prompt without a session.
type sessionTurn struct {
	of             *sessionTurns
	session        string
	previousTokens int64           // tokens of the previous turn
	endpoint       *serverEndpoint // server of the earlier turns; nil: this turn is the first
}

// nextTurn returns the turn for a prompt of a session; nil for a prompt without a session.
func (s *sessionTurns) nextTurn(session string) *sessionTurn {
	if session == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &sessionTurn{s, session, s.lastTokens[session], s.endpoints[session]}
}

// endpointToAsk returns the server to use; nil: any.
func (t *sessionTurn) endpointToAsk() *serverEndpoint {
	if t == nil {
		return nil
	}
	return t.endpoint
}

// bindEndpoint binds the conversation to a server. Only this server may reuse its cache.
func (t *sessionTurn) bindEndpoint(e *serverEndpoint) {
	if t == nil || t.endpoint == e {
		return
	}
	t.endpoint = e
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.endpoints == nil {
		t.of.endpoints = map[string]*serverEndpoint{}
	}
	t.of.endpoints[t.session] = e
}

// maxCached returns the maximum number of tokens of the turn's prompt that a server may have cached.
func (t *sessionTurn) maxCached() int64 {
	if t == nil {
		return 0
	}
	return t.previousTokens
}

// describeMaxCached describes the permitted number of cached tokens for an error.
func (t *sessionTurn) describeMaxCached() string {
	if t == nil {
		return ""
	}
	return fmt.Sprintf(", and the turns before in conversation %q have %d", t.session, t.previousTokens)
}

// noteUsage stores the server's token counts of the turn.
func (t *sessionTurn) noteUsage(u usageCounts) {
	if t == nil {
		return
	}
	n := int64(unknownTokens)
	if u.known && u.reported&reportsPrompt != 0 {
		n = u.prompt + u.completion
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.lastTokens == nil {
		t.of.lastTokens = map[string]int64{}
	}
	t.of.lastTokens[t.session] = n
}
