package openai

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// promptAnswer collects the output that a server generates for one prompt.
type promptAnswer struct {
	answerState
	sink          backend.TokenSink
	count         countMode
	text          []byte
	ids           []int32
	form          idForm // form of the ids in an answer of /generate
	loggedTokens  int
	reasoning     []byte
	calls         MergedCalls
	hasHidden     bool    // a part was reasoning or a tool call, which text does not contain
	firstReported bool    // FirstToken was called
	firstIDs      []int32 // ids with which it was called
	parts         int     // parts with tokens
	askedAt       time.Time
	// awaited is the pending wait for the answer. Each token shows that the server is alive.
	awaited *backend.PendingWait
	// firstAfter is the time from the last request to its first token.
	firstAfter time.Duration
	// progress counts the received parts, for the watch over slow servers.
	progress atomic.Uint32
}

func (a *promptAnswer) reset(sink backend.TokenSink, c countMode) {
	a.sink, a.count, a.firstReported, a.firstIDs = sink, c, false, a.firstIDs[:0]
	a.restart()
}

// restart discards the output of another server.
func (a *promptAnswer) restart() {
	a.text, a.ids, a.loggedTokens, a.parts, a.answerState = a.text[:0], a.ids[:0], 0, 0, answerState{}
	a.reasoning, a.calls.calls, a.hasHidden, a.form = a.reasoning[:0], a.calls.calls[:0], false, unknownIDs
}

// addChunk adds a part of the answer.
func (a *promptAnswer) addChunk(c *answerChunk) error {
	a.text = append(a.text, c.text...)
	a.reasoning = append(a.reasoning, c.reasoning...)
	a.calls.mergeParts(c.parts)
	a.ids = append(a.ids, c.ids...)
	a.loggedTokens += c.loggedTokens
	a.hasHidden = a.hasHidden || len(c.reasoning) > 0 || c.hasToolCall
	a.addState(c)
	if !c.isToken() {
		return nil
	}
	a.awaited.SignalProgress()
	if a.parts++; a.parts > 1 {
		return nil
	}
	a.firstAfter = time.Since(a.askedAt)
	if a.firstReported {
		return a.checkSameStart(c)
	}
	a.reportFirst(backend.Tokens{IDs: a.keptIDs(c.ids), Text: string(c.text), N: max(len(c.ids), c.loggedTokens)})
	return nil
}

// reportFirst reports the first token.
func (a *promptAnswer) reportFirst(t backend.Tokens) {
	a.firstReported = true
	a.firstIDs = append(a.firstIDs[:0], t.IDs...)
	a.sink.FirstToken(t)
}

// checkSameStart checks that the answer of another server starts with the first token that was already reported.
func (a *promptAnswer) checkSameStart(c *answerChunk) error {
	n := min(len(a.firstIDs), len(c.ids))
	if slices.Equal(a.firstIDs[:n], c.ids[:n]) {
		return nil
	}
	return fmt.Errorf("%w: asked again, it starts with the tokens %v, and the server before with %v", ErrStream,
		c.ids[:n], a.firstIDs[:n])
}

// keptIDs returns the ids, or nil if they are not needed.
func (a *promptAnswer) keptIDs(ids []int32) []int32 {
	if a.count == countByUsage || len(ids) == 0 {
		return nil
	}
	return ids
}

// allTokens returns the whole answer. The error explains why its number of tokens is unknown.
func (a *promptAnswer) allTokens() (backend.Tokens, error) {
	t := backend.Tokens{
		IDs: a.keptIDs(a.ids), Text: validUTF8(a.text), Reasoning: validUTF8(a.reasoning), Calls: a.calls.List(),
		Finish: a.finish,
	}
	n, err := a.tokenCount(len(t.IDs))
	if wrong := a.usage.checkCount(a.parts, 0); wrong != nil && len(t.IDs) == 0 {
		err = fmt.Errorf("%w: %w", ErrStream, wrong)
	}
	t.N = n
	return t, err
}

// tokenCount returns the number of tokens of an answer with the given number of ids.
func (a *promptAnswer) tokenCount(ids int) (int, error) {
	reports := a.usage.known
	reported := int(a.usage.completion)
	switch {
	case ids > 0 && a.usage.known && reported != ids:
		return 0, fmt.Errorf("%w: it sent %d token ids and reports %d tokens; option count=usage drops the ids",
			ErrStream, ids, reported)
	case ids > 0:
		return ids, nil
	case a.count == countIDs && (!a.usage.known || reported != 0):
		return 0, fmt.Errorf("%w: it sent no token ids, which option count=ids asks for", ErrStream)
	case reports && a.count != countLogged:
		return reported, nil
	case a.loggedTokens > 0:
		return a.loggedTokens, nil
	case a.count == countLogged && a.parts > 0:
		return 0, fmt.Errorf("%w: it sent no log probabilities, which option count=logprobs asks for", ErrStream)
	case a.parts > 0 || !reports:
		return 0, errUncounted
	}
	return 0, nil
}

func validUTF8(text []byte) string { return strings.ToValidUTF8(string(text), "\ufffd") }

// errUncounted means that an answer does not state its number of tokens.
var errUncounted = fmt.Errorf("%w: it does not say how many tokens there are: neither ids nor log probabilities nor "+
	"usage", ErrStream)

// isCountable reports whether the answer's text contains all generated output, so that a tokenizer can count it.
func (a *promptAnswer) isCountable() bool {
	return a.count == anyCount && len(a.text) > 0 && !a.hasHidden && a.loggedTokens == 0
}
