package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// AnswerObserver takes what comes of one request, from the goroutine that asks.
type AnswerObserver interface {
	// Now is the clock of all times: nanoseconds.
	Now() int64
	// Event takes one event of a stream, or an answer in one piece as one event. It is valid until Event returns.
	Event(e *ObservedEvent)
}

// ObservedEvent is one event of a stream.
type ObservedEvent struct {
	// At is when its end came, by the Observer's clock: when the read returned that brought it, or the first of several
	// reads of what had come at once. Events that came at once have the same time.
	At   int64
	Kind EventKind
	// Text is of the answer, Thought of the reasoning before it, Called the names and arguments of tool calls.
	Text, Thought, Called []byte
	// Tokens is the number of token ids, or else of log probabilities; 0: the server reports neither.
	Tokens int

	parts []toolCallPart // of tool calls of a chat, for MergedCalls
}

// EventKind is what an event brought.
type EventKind uint8

// The kinds of events. One with several things is of the first of content, tool and reasoning.
const (
	RoleEvent      EventKind = iota // nothing generated: a role, the usage record
	ContentEvent                    // text of the answer, or tokens without text
	ReasoningEvent                  // text before the answer
	ToolEvent                       // a part of a tool call
	CommentEvent                    // a comment of the stream
)

// Response is what a request came to.
type Response struct {
	Sent int64 // just before it was handed to its connection, or one was opened for it; by the Observer's clock
	End  int64 // when its stream was closed, or it failed
	// Longest is the longest time from a read's return until all that it brought was handed to the Observer, in ns.
	Longest int64
	Server  int  // which of About().URLs
	Whole   bool // the answer came in one piece, whatever was asked for
	// Usage is the server's own count of tokens; -1 where it did not tell. Of usage records that disagree the last counts.
	Usage  TokenUsage
	Finish string // why the answer ended, as the server says; empty: it does not
}

// TokenUsage is a server's count of tokens; -1 where it did not tell.
type TokenUsage struct {
	Prompt, Completion, Reasoning, Cached int64
}

// CallFailure is how a request failed.
type CallFailure struct {
	Kind FailureKind
	Code int // the status of HTTP, where Kind is BadStatus
	Err  error
}

func (f *CallFailure) Error() string { return f.Err.Error() }
func (f *CallFailure) Unwrap() error { return f.Err }

// FailureKind is where a request failed.
type FailureKind uint8

// The kinds of failures.
const (
	NotConnected FailureKind = iota // there was no connection
	BadStatus                       // the server answered with another status than 200
	BadAnswer                       // the server reports an error in its answer, or the answer cannot be read
	BadCount                        // the server's count of tokens cannot be: ErrCount
	CutOff                          // the connection ended before the answer did
	TimedOut                        // it took longer than an option lets it
	Interrupted                     // the context ended, for a reason of the caller's
)

// observedCall is the working memory of one Ask call.
type observedCall struct {
	parser chunkParser
	events eventReader
	event  ObservedEvent
	answerState
	parts  int
	tokens int // events with tokens

	observer AnswerObserver // of a stream
	most     int            // tokens that it may have; 0: any number

	settings *openaiSettings
	wires    *sync.Pool // of *[]byte: requests, as they are written
	ctx      context.Context
	line     *httpConn    // nil: there is none yet
	wire     connExchange // on it
	total    time.Time    // when option timeout ends the request; zero: never
	begun    bool         // something of the answer has come
	set      int64        // when the deadline was set last, by the observer's clock
}

// startEvents is the first size of an answer's buffer: 10,000 answers at a time have as many.
const startEvents = 512

// maxKeptBytes bounds the buffers that are kept for later answers.
const maxKeptBytes = 64 << 10

// Ask sends a request to a server and hands what comes to o, until the stream is closed. The error is a *Failure. It
// tries once: only where a connection that was kept turns out to be closed before anything of the request was written,
// another is opened.
func (c *Client) Ask(ctx context.Context, r WrittenRequest, o AnswerObserver) (Response, error) {
	a, ok := c.calls.Get().(*observedCall)
	if !ok {
		a = &observedCall{settings: &c.settings, wires: &c.wires, events: eventReader{buffer: make([]byte, startEvents)}}
	}
	a.answerState, a.parts, a.tokens, a.begun, a.total = answerState{}, 0, 0, false, time.Time{}
	a.ctx = ctx
	a.events.reset(nil)
	defer func() {
		a.ctx, a.line, a.events.from, a.observer, a.wire = nil, nil, nil, nil, connExchange{}
		if len(a.events.buffer) <= maxKeptBytes { // one long answer need not stay in memory
			c.calls.Put(a)
		}
	}()
	n := c.chooseEndpoint(r.session)
	to := &c.lanes[n]
	to.running.Add(1)
	defer to.running.Add(-1)
	response := Response{Server: n}
	err := a.askEndpoint(to, r, o, &response)
	response.Usage, response.Finish, response.Longest = a.usage.tokenUsage(), a.finish, a.events.longest
	if err != nil {
		response.End = o.Now()
		return response, err
	}
	return response, nil
}

// chooseEndpoint chooses the server for a request: the session's, or the one with the fewest requests; equals take
// turns.
func (c *Client) chooseEndpoint(session string) int {
	n := len(c.lanes)
	if n == 1 {
		return 0
	}
	if session != "" {
		h := uint32(2166136261) // FNV-1a: the same server in every run
		for i := range len(session) {
			h = (h ^ uint32(session[i])) * 16777619
		}
		return int(h % uint32(n))
	}
	first := int(c.turn.Add(1)-1) % n
	best := first
	for i := 1; i < n; i++ {
		if k := (first + i) % n; c.lanes[k].running.Load() < c.lanes[best].running.Load() {
			best = k
		}
	}
	return best
}

// tokenUsage is the count as it is shown.
func (u usageCounts) tokenUsage() TokenUsage {
	t := TokenUsage{-1, -1, -1, -1}
	if u.known {
		t.Completion = u.completion
	}
	if u.tells&tellsPrompt != 0 {
		t.Prompt = u.prompt
	}
	if u.tells&tellsReasoning != 0 {
		t.Reasoning = u.reasoning
	}
	if u.tells&tellsCached != 0 && (t.Prompt < 0 || u.cached <= t.Prompt) {
		t.Cached = u.cached
	}
	return t
}

func (a *observedCall) askEndpoint(to *clientEndpoint, r WrittenRequest, o AnswerObserver, response *Response) error {
	response.Sent = o.Now()
	if d := a.settings.total; d > 0 {
		a.total = time.Now().Add(d)
	}
	err := a.askOnce(to, r, o, response, to.lines.getConn)
	if errors.Is(err, errDropped) {
		err = a.askOnce(to, r, o, response, to.lines.openConn)
	}
	return err
}

// errDropped is a connection that was kept and is closed, without a byte of an answer: the server closed it while the
// request was on its way, as it may (RFC 9112, section 9.5), and another connection takes it.
var errDropped = errors.New("the server closed a connection that it had kept")

// askOnce asks by one connection.
func (a *observedCall) askOnce(
	to *clientEndpoint, r WrittenRequest, o AnswerObserver, response *Response, get func(context.Context) (*httpConn,
		error),
) error {
	if err := a.takeConn(to.lines, get); err != nil {
		return a.brokenFailure(err)
	}
	a.wire.begin(a.ctx, to.lines, a.line)
	err := a.exchangeOn(to, r, o, response)
	_ = a.wire.end() // the answer is what counts
	return err
}

// past is a deadline that is over.
var past = time.Unix(1, 0)

// takeConn takes a connection. What is left of first_timeout and timeout bounds it.
func (a *observedCall) takeConn(l *connPool, get func(context.Context) (*httpConn, error)) (err error) {
	ctx := a.ctx
	for _, limit := range []struct {
		d     time.Duration
		cause error
	}{{a.settings.first, errFirstTimeout}, {a.settings.total, errTotalTimeout}} {
		if limit.d > 0 && (l.connect == 0 || limit.d < l.connect) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, limit.d, limit.cause)
			defer cancel()
		}
	}
	a.line, err = get(ctx)
	return err
}

// exchangeOn writes a request and reads its answer.
func (a *observedCall) exchangeOn(to *clientEndpoint, r WrittenRequest, o AnswerObserver, response *Response) error {
	a.extendDeadline(a.settings.first)
	if r.bodyLength() > maxAheadBytes {
		a.wire.sendAhead(func() error { return a.writeRequest(to, r) })
	} else if a.wire.failed = a.writeRequest(to, r); isTimeout(a.wire.failed) {
		return a.brokenFailure(a.wire.failed)
	}
	return a.readAnswer(r, o, response)
}

// readAnswer reads the answer to a request.
func (a *observedCall) readAnswer(r WrittenRequest, o AnswerObserver, response *Response) error {
	h, err := a.line.readHead() // a server may refuse a request before it has read all of it
	if err != nil {
		dropped := a.line.wasDropped(err)
		if writing := a.wire.endWriting(); writing != nil && !isTimeout(writing) {
			err = writing
		}
		if dropped {
			return errDropped
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("the connection was closed before an answer began: %w", err)
		}
		return a.brokenFailure(err)
	}
	if h.code != http.StatusOK {
		return a.badStatus(h)
	}
	switch {
	case len(h.coding) > 0:
		return &CallFailure{Kind: BadAnswer, Err: encodingError(string(h.coding))}
	case equalFold(h.kind, "text/event-stream"):
		err = a.readStream(a.line, o, &r)
	case equalFold(h.kind, "application/json"):
		response.Whole = true
		err = a.readWhole(a.line, &r, o)
	default:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf("%w: its content is %.200q, want text/event-stream or "+
			"application/json", ErrStream, h.kind)}
	}
	response.End = a.events.read
	return err
}

// writeRequest writes a request. Its memory is not needed while the answer is waited for.
func (a *observedCall) writeRequest(to *clientEndpoint, r WrittenRequest) (err error) {
	host := cmp.Or(r.host, to.base.Host)
	wire, ok := a.wires.Get().(*[]byte)
	if !ok {
		wire = new([]byte)
	}
	b := append(append((*wire)[:0], "POST "...), to.path...)
	b = append(append(b, r.path...), " HTTP/1.1\r\nHost: "...)
	b = append(append(append(b, host...), "\r\n"...), r.head...)
	if r.bodyLength() <= maxAheadBytes {
		b = append(append(append(b, r.body[:r.place]...), r.before...), r.body[r.place:]...)
		_, err = a.line.Write(b)
	} else {
		parts := net.Buffers{b, r.body[:r.place], r.before, r.body[r.place:]}
		_, err = parts.WriteTo(a.line.writer())
	}
	if *wire = b; cap(b) <= maxKeptBytes {
		a.wires.Put(wire)
	}
	return err
}

// extendDeadline sets how long the next part of the answer may take.
func (a *observedCall) extendDeadline(d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	if !a.total.IsZero() && (until.IsZero() || a.total.Before(until)) {
		until = a.total
	}
	_ = a.line.SetDeadline(until) // of a connection that is closed: the next read says so
	if a.ctx.Err() != nil {
		_ = a.line.SetDeadline(past) // it may just have been set, and was overwritten
	}
}

// slack is by how much idle_timeout may be exceeded, as a share: deadlines are not set for each event anew.
const slack = 8

// notePart notes that a part of the answer has come, at a time of the observer's clock.
func (a *observedCall) notePart(at int64) {
	idle := a.settings.idle
	if a.line == nil || a.begun && (idle == 0 || at-a.set < int64(idle)/slack) {
		return
	}
	a.begun, a.set = true, at
	if idle > 0 {
		idle += idle / slack
	}
	a.extendDeadline(idle)
}

// brokenFailure is the failure of a request that got no answer, or of an answer that broke off.
func (a *observedCall) brokenFailure(err error) *CallFailure {
	cause := context.Cause(a.ctx)
	switch kind := breakKind(cause, err); {
	case kind == Interrupted:
		return &CallFailure{Kind: Interrupted, Err: cause}
	case kind == CutOff && isTimeout(err): // a deadline of the connection is over, not a context
		cause := errIdleTimeout
		if !a.total.IsZero() && !time.Now().Before(a.total) {
			cause = errTotalTimeout
		} else if !a.begun {
			cause = errFirstTimeout
		}
		return &CallFailure{Kind: TimedOut, Err: cause}
	default:
		return &CallFailure{Kind: kind, Err: err}
	}
}

// badStatus is the failure of a request that was answered with another status than 200.
func (a *observedCall) badStatus(h responseHead) error {
	text := h.status
	a.events.reset(a.line)
	body, err := a.events.readAll(bodyShown)
	if err != nil && !errors.Is(err, errLongAnswer) {
		return a.brokenFailure(err)
	}
	said := errorMessage(body)
	if h.moved != "" {
		said = fmt.Sprintf("it points to %.200q: use that address", h.moved)
	}
	return &CallFailure{Kind: BadStatus, Code: h.code, Err: fmt.Errorf("%.200s: %s", text, said)}
}

// readStream takes the events of a stream until it is closed, as many as the request lets it have.
func (a *observedCall) readStream(body io.Reader, o AnswerObserver, r *WrittenRequest) error {
	a.events.reset(body)
	a.events.observeArrivals(o.Now, a.arrivals())
	a.events.most = r.most
	a.observer, a.most = o, r.tokens
	switch ended, fault := a.events.eachEvent(a); {
	case fault != nil:
		return &CallFailure{Kind: BadAnswer, Err: fault}
	case ended != nil:
		return a.streamEnded(ended, r)
	}
	a.waitForEnd()
	return a.checkFinished(a.tokens, r)
}

// noteEvent notes that an event has come, and finds an answer that goes on and on.
func (a *observedCall) noteEvent() error {
	a.notePart(a.events.read)
	if a.most > 0 && a.tokens > maxTokenEvents(a.most) {
		return fmt.Errorf("%w: it goes on behind %d events with tokens, and was asked for %d tokens at most", ErrStream,
			a.tokens, a.most)
	}
	return nil
}

// takeEvent hands an event over, or a comment.
func (a *observedCall) takeEvent(ev streamEvent) error {
	if ev.isComment {
		a.event = ObservedEvent{At: a.events.read, Kind: CommentEvent}
		a.observer.Event(&a.event)
		return nil
	}
	chunk, ok := a.parser.parseEvent(ev.data)
	if err := ev.checkEvent(chunk, ok); err != nil {
		return err
	}
	a.handOver(chunk, a.observer)
	return nil
}

// streamEnded is the outcome of a stream that has no further event, with the reader's error.
func (a *observedCall) streamEnded(err error, r *WrittenRequest) error {
	switch closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case a.endsBy(err):
		return a.checkFinished(a.tokens, r)
	case closed && a.parts == 0 && len(a.events.strange) > 0:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf("%w: its stream has no events, but says: %s", ErrStream,
			errorMessage(a.events.strange))}
	case closed:
		return &CallFailure{Kind: CutOff, Err: fmt.Errorf("the stream was cut after %d events and %d bytes", a.parts,
			a.events.received)}
	}
	return a.brokenFailure(err)
}

// arrivals counts what the connection brought at once; nil: that is not known.
func (a *observedCall) arrivals() arrivalCounter {
	if a.line == nil {
		return nil
	}
	return a.line.from
}

// handOver hands an event over.
func (a *observedCall) handOver(c *answerChunk, o AnswerObserver) {
	a.parts++
	if c.isToken() {
		a.tokens++
	}
	a.addState(c)
	e := &a.event
	*e = ObservedEvent{At: a.events.read, Text: c.text, Thought: c.thought, Called: c.called, Tokens: len(c.ids),
		parts: c.parts}
	if e.Tokens == 0 {
		e.Tokens = c.logged
	}
	switch {
	case len(c.text) > 0:
		e.Kind = ContentEvent
	case c.calls:
		e.Kind = ToolEvent
	case len(c.thought) > 0:
		e.Kind = ReasoningEvent
	case e.Tokens > 0:
		e.Kind = ContentEvent
	}
	o.Event(e)
}

// waitForEnd waits until the stream is closed behind its last event, but not for long: some servers keep it open.
func (a *observedCall) waitForEnd() {
	if a.events.ended {
		return
	}
	if a.line != nil {
		a.extendDeadline(maxDrainTime)
	}
	a.events.skipRest()
}

// checkFinished judges an answer that has ended, of which so many tokens were seen.
func (a *observedCall) checkFinished(came int, r *WrittenRequest) error {
	if err := finishFault(a.finish); err != nil {
		return &CallFailure{Kind: BadAnswer, Err: err}
	}
	if !r.api.generatesText() {
		return nil
	}
	if err := a.usage.checkCount(came, r.tokens); err != nil {
		return &CallFailure{Kind: BadCount, Err: err}
	}
	return nil
}

// maxWholeBytes bounds an answer in one piece: embeddings of many texts are tens of megabytes.
const maxWholeBytes = 256 << 20

// readWhole takes an answer in one piece as one event, at the time when its last byte came.
func (a *observedCall) readWhole(body io.Reader, r *WrittenRequest, o AnswerObserver) error {
	a.events.reset(body)
	a.events.observeArrivals(o.Now, a.arrivals())
	text, err := a.events.readAll(maxWholeBytes)
	if err != nil {
		return a.brokenFailure(err)
	}
	chunk, ok := a.parser.parseEvent(text)
	switch {
	case chunk.hasFault:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf("%w in its answer: %s", ErrServer, errorMessage(text))}
	case !ok:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf(
			"%w: answer of %d bytes is not what the API has: %.200q",
			ErrStream,
			len(text), text)}
	case !r.api.generatesText() && chunk.results == 0:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf("%w: it has no results: %.200q", ErrStream, text)}
	}
	a.handOver(chunk, o)
	a.events.longest = max(a.events.longest, o.Now()-a.events.read)
	return a.checkFinished(len(chunk.text)+len(chunk.thought)+len(chunk.called), r)
}
