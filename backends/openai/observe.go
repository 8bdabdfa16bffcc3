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

// AnswerObserver receives the answer to one request, in the goroutine that sends it.
type AnswerObserver interface {
	// Now returns the current time of the clock that all times use, in nanoseconds.
	Now() int64
	// Event receives one event of a stream, or an unstreamed answer as a single event. e is valid until Event returns.
	Event(e *ObservedEvent)
}

// ObservedEvent is one event of a stream.
type ObservedEvent struct {
	// At is the time at which the event's end arrived, by the observer's clock: the return of the read, or of the first of
	// several reads of the same arrival. Events that arrived together have equal times.
	At   int64
	Kind EventKind
	// Text is text of the answer, Thought text of the reasoning before it, and Called the names and arguments of tool
	// calls.
	Text, Thought, Called []byte
	// Tokens is the number of token ids or, without ids, of log probabilities; 0: the server reports neither.
	Tokens int

	parts []toolCallPart // parts of a chat's tool calls, for MergedCalls
}

// EventKind is the kind of content of an event.
type EventKind uint8

// The kinds of events. An event with several kinds of content has the first of content, tool and reasoning.
const (
	RoleEvent      EventKind = iota // no generated output: a role, the usage record
	ContentEvent                    // text of the answer, or tokens without text
	ReasoningEvent                  // text that precedes the answer
	ToolEvent                       // a part of a tool call
	CommentEvent                    // a comment in the stream
)

// Response describes the answer to a request.
type Response struct {
	Sent int64 // by the observer's clock, just before the request was passed to a connection or one was opened
	End  int64 // time at which the stream was closed or failed
	// Longest is the longest time from the return of a read to the delivery of its content to the observer, in ns.
	Longest int64
	Server  int  // index in ServerInfo.URLs
	Whole   bool // the answer arrived unstreamed, whatever was requested
	// Usage contains the server's own token counts, -1 if unknown. If usage records disagree, the last one counts.
	Usage  TokenUsage
	Finish string // the server's reason for the end of the answer; empty: unknown
}

// TokenUsage contains a server's token counts; -1: unknown.
type TokenUsage struct {
	Prompt, Completion, Reasoning, Cached int64
}

// CallFailure describes a failed request.
type CallFailure struct {
	Kind FailureKind
	Code int // HTTP status if Kind is BadStatus
	Err  error
}

func (f *CallFailure) Error() string { return f.Err.Error() }
func (f *CallFailure) Unwrap() error { return f.Err }

// FailureKind is the stage at which a request failed.
type FailureKind uint8

// The kinds of failures.
const (
	NotConnected FailureKind = iota // no connection could be opened
	BadStatus                       // the status was not 200
	BadAnswer                       // the answer reports an error or is unreadable
	BadCount                        // the server's token count is impossible: ErrCount
	CutOff                          // the connection ended before the answer did
	TimedOut                        // the request exceeded a time limit of the options
	Interrupted                     // the caller's context ended
)

// observedCall is the working memory of one Ask call.
type observedCall struct {
	parser chunkParser
	events eventReader
	event  ObservedEvent
	answerState
	parts  int
	tokens int // number of events with tokens

	observer  AnswerObserver // of a stream
	maxTokens int            // maximum number of tokens; 0: any number

	settings    *openaiSettings
	wires       *sync.Pool // pool of *[]byte for encoded requests
	ctx         context.Context
	conn        *httpConn    // nil: no connection yet
	exchange    connExchange // exchange on line
	total       time.Time    // end of option timeout; zero: none
	begun       bool         // a part of the answer has arrived
	deadlineSet int64        // time at which the deadline was last set, by the observer's clock
}

// startEvents is the initial size of an answer's buffer. It is small because there may be 10,000 concurrent answers.
const startEvents = 512

// maxKeptBytes is the maximum size of buffers that are kept for later answers.
const maxKeptBytes = 64 << 10

// Ask sends a request to a server and delivers what arrives to o until the stream is closed. The error is a
// *CallFailure. It tries once. Only if an idle connection turns out to be closed before any part of the request was
// written does it open another one.
func (c *Client) Ask(ctx context.Context, r WrittenRequest, o AnswerObserver) (Response, error) {
	a, ok := c.calls.Get().(*observedCall)
	if !ok {
		a = &observedCall{settings: &c.settings, wires: &c.wires, events: eventReader{buffer: make([]byte, startEvents)}}
	}
	a.answerState, a.parts, a.tokens, a.begun, a.total = answerState{}, 0, 0, false, time.Time{}
	a.ctx = ctx
	a.events.reset(nil)
	defer func() {
		a.ctx, a.conn, a.events.from, a.observer, a.exchange = nil, nil, nil, nil, connExchange{}
		if len(a.events.buffer) <= maxKeptBytes { // do not keep the memory of a long answer
			c.calls.Put(a)
		}
	}()
	n := c.chooseEndpoint(r.session)
	to := &c.lanes[n]
	to.running.Add(1)
	defer to.running.Add(-1)
	response := Response{Server: n}
	err := a.askEndpoint(to, r, o, &response)
	response.Usage, response.Finish, response.Longest = a.usage.tokenUsage(), a.finish, a.events.longestRead
	if err != nil {
		response.End = o.Now()
		return response, err
	}
	return response, nil
}

// chooseEndpoint returns the index of the server for a request: the session's server, or the one with the fewest
// requests. Equal ones alternate.
func (c *Client) chooseEndpoint(session string) int {
	n := len(c.lanes)
	if n == 1 {
		return 0
	}
	if session != "" {
		h := uint32(2166136261) // FNV-1a: yields the same server in every run
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

// tokenUsage returns the counts in their exported form.
func (u usageCounts) tokenUsage() TokenUsage {
	t := TokenUsage{-1, -1, -1, -1}
	if u.known {
		t.Completion = u.completion
	}
	if u.reported&reportsPrompt != 0 {
		t.Prompt = u.prompt
	}
	if u.reported&reportsReasoning != 0 {
		t.Reasoning = u.reasoning
	}
	if u.reported&reportsCached != 0 && (t.Prompt < 0 || u.cached <= t.Prompt) {
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

// errDropped means that an idle connection was closed without a byte of an answer: the server closed it while the
// request was being sent, as RFC 9112, section 9.5, permits. The request is sent on another connection.
var errDropped = errors.New("the server closed a connection that it had kept")

// askOnce sends the request on one connection.
func (a *observedCall) askOnce(
	to *clientEndpoint, r WrittenRequest, o AnswerObserver, response *Response, get func(context.Context) (*httpConn,
		error),
) error {
	if err := a.takeConn(to.lines, get); err != nil {
		return a.brokenFailure(err)
	}
	a.exchange.begin(a.ctx, to.lines, a.conn)
	err := a.exchangeOn(to, r, o, response)
	_ = a.exchange.end() // the answer determines the result
	return err
}

// pastDeadline is a time in the past, for deadlines.
var pastDeadline = time.Unix(1, 0)

// takeConn obtains a connection within the remaining time of first_timeout and timeout.
func (a *observedCall) takeConn(l *connPool, get func(context.Context) (*httpConn, error)) (err error) {
	ctx := a.ctx
	for _, limit := range []struct {
		d     time.Duration
		cause error
	}{{a.settings.first, errFirstTimeout}, {a.settings.total, errTotalTimeout}} {
		if limit.d > 0 && (l.connectTimeout == 0 || limit.d < l.connectTimeout) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, limit.d, limit.cause)
			defer cancel()
		}
	}
	a.conn, err = get(ctx)
	return err
}

// exchangeOn writes a request and reads its answer.
func (a *observedCall) exchangeOn(to *clientEndpoint, r WrittenRequest, o AnswerObserver, response *Response) error {
	a.extendDeadline(a.settings.first)
	if r.bodyLength() > maxAheadBytes {
		a.exchange.sendAhead(func() error { return a.writeRequest(to, r) })
	} else if a.exchange.writeErr = a.writeRequest(to, r); isTimeout(a.exchange.writeErr) {
		return a.brokenFailure(a.exchange.writeErr)
	}
	return a.readAnswer(r, o, response)
}

// readAnswer reads the answer to a request.
func (a *observedCall) readAnswer(r WrittenRequest, o AnswerObserver, response *Response) error {
	h, err := a.conn.readHead() // a server may refuse a request before it has read all of it
	if err != nil {
		dropped := a.conn.wasDropped(err)
		if writing := a.exchange.endWriting(); writing != nil && !isTimeout(writing) {
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
		err = a.readStream(a.conn, o, &r)
	case equalFold(h.kind, "application/json"):
		response.Whole = true
		err = a.readWhole(a.conn, &r, o)
	default:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf("%w: its content is %.200q, want text/event-stream or "+
			"application/json", ErrStream, h.kind)}
	}
	response.End = a.events.read
	return err
}

// writeRequest writes a request. Its memory is released before the answer arrives.
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
		b = append(append(append(b, r.body[:r.insertAt]...), r.inserted...), r.body[r.insertAt:]...)
		_, err = a.conn.Write(b)
	} else {
		parts := net.Buffers{b, r.body[:r.insertAt], r.inserted, r.body[r.insertAt:]}
		_, err = parts.WriteTo(a.conn.writer())
	}
	if *wire = b; cap(b) <= maxKeptBytes {
		a.wires.Put(wire)
	}
	return err
}

// extendDeadline sets the time limit for the next part of the answer.
func (a *observedCall) extendDeadline(d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	if !a.total.IsZero() && (until.IsZero() || a.total.Before(until)) {
		until = a.total
	}
	_ = a.conn.SetDeadline(until) // fails on a closed connection; the next read reports it
	if a.ctx.Err() != nil {
		_ = a.conn.SetDeadline(pastDeadline) // the call above may have overwritten this deadline
	}
}

// slack is the inverse of the share by which idle_timeout may be exceeded, because the deadline is not set again for
// each event.
const slack = 8

// notePart records that a part of the answer arrived, at a time of the observer's clock.
func (a *observedCall) notePart(at int64) {
	idle := a.settings.idle
	if a.conn == nil || a.begun && (idle == 0 || at-a.deadlineSet < int64(idle)/slack) {
		return
	}
	a.begun, a.deadlineSet = true, at
	if idle > 0 {
		idle += idle / slack
	}
	a.extendDeadline(idle)
}

// brokenFailure returns the failure of a request without an answer, or of an answer that broke off.
func (a *observedCall) brokenFailure(err error) *CallFailure {
	cause := context.Cause(a.ctx)
	switch kind := breakKind(cause, err); {
	case kind == Interrupted:
		return &CallFailure{Kind: Interrupted, Err: cause}
	case kind == CutOff && isTimeout(err): // a deadline of the connection expired, not a context
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

// badStatus returns the failure of a request whose status is not 200.
func (a *observedCall) badStatus(h responseHead) error {
	text := h.status
	a.events.reset(a.conn)
	body, err := a.events.readAll(maxErrorBody)
	if err != nil && !errors.Is(err, errLongAnswer) {
		return a.brokenFailure(err)
	}
	said := errorMessage(body)
	if h.moved != "" {
		said = fmt.Sprintf("it points to %.200q: use that address", h.moved)
	}
	return &CallFailure{Kind: BadStatus, Code: h.code, Err: fmt.Errorf("%.200s: %s", text, said)}
}

// readStream delivers the events of a stream until it is closed. The request limits their number.
func (a *observedCall) readStream(body io.Reader, o AnswerObserver, r *WrittenRequest) error {
	a.events.reset(body)
	a.events.observeArrivals(o.Now, a.arrivals())
	a.events.maxBytes = r.maxBytes
	a.observer, a.maxTokens = o, r.maxTokens
	switch ended, fault := a.events.eachEvent(a); {
	case fault != nil:
		return &CallFailure{Kind: BadAnswer, Err: fault}
	case ended != nil:
		return a.streamEnded(ended, r)
	}
	a.waitForEnd()
	return a.checkFinished(a.tokens, r)
}

// noteEvent counts an event and detects endless answers.
func (a *observedCall) noteEvent() error {
	a.notePart(a.events.read)
	if a.maxTokens > 0 && a.tokens > maxTokenEvents(a.maxTokens) {
		return fmt.Errorf("%w: it goes on behind %d events with tokens, and was asked for %d tokens at most", ErrStream,
			a.tokens, a.maxTokens)
	}
	return nil
}

// takeEvent delivers an event or a comment.
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

// streamEnded returns the result of a stream that ended with the reader's error err.
func (a *observedCall) streamEnded(err error, r *WrittenRequest) error {
	switch closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case a.endsBy(err):
		return a.checkFinished(a.tokens, r)
	case closed && a.parts == 0 && len(a.events.unknownLine) > 0:
		return &CallFailure{Kind: BadAnswer, Err: fmt.Errorf("%w: its stream has no events, but says: %s", ErrStream,
			errorMessage(a.events.unknownLine))}
	case closed:
		return &CallFailure{Kind: CutOff, Err: fmt.Errorf("the stream was cut after %d events and %d bytes", a.parts,
			a.events.received)}
	}
	return a.brokenFailure(err)
}

// arrivals returns the counter of the connection's arrivals; nil: unknown.
func (a *observedCall) arrivals() arrivalCounter {
	if a.conn == nil {
		return nil
	}
	return a.conn.arrivalSource
}

// handOver delivers an event.
func (a *observedCall) handOver(c *answerChunk, o AnswerObserver) {
	a.parts++
	if c.isToken() {
		a.tokens++
	}
	a.addState(c)
	e := &a.event
	*e = ObservedEvent{At: a.events.read, Text: c.text, Thought: c.reasoning, Called: c.toolText, Tokens: len(c.ids),
		parts: c.parts}
	if e.Tokens == 0 {
		e.Tokens = c.loggedTokens
	}
	switch {
	case len(c.text) > 0:
		e.Kind = ContentEvent
	case c.hasToolCall:
		e.Kind = ToolEvent
	case len(c.reasoning) > 0:
		e.Kind = ReasoningEvent
	case e.Tokens > 0:
		e.Kind = ContentEvent
	}
	o.Event(e)
}

// waitForEnd waits until the stream is closed after its last event. It waits only briefly, because some servers keep
// the stream open.
func (a *observedCall) waitForEnd() {
	if a.events.ended {
		return
	}
	if a.conn != nil {
		a.extendDeadline(maxDrainTime)
	}
	a.events.skipRest()
}

// checkFinished checks a completed answer of which came tokens arrived.
func (a *observedCall) checkFinished(came int, r *WrittenRequest) error {
	if err := finishFault(a.finish); err != nil {
		return &CallFailure{Kind: BadAnswer, Err: err}
	}
	if !r.api.generatesText() {
		return nil
	}
	if err := a.usage.checkCount(came, r.maxTokens); err != nil {
		return &CallFailure{Kind: BadCount, Err: err}
	}
	return nil
}

// maxWholeBytes is the maximum size of an unstreamed answer. Embeddings of many texts take tens of megabytes.
const maxWholeBytes = 256 << 20

// readWhole delivers an unstreamed answer as one event, at the time at which its last byte arrived.
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
	a.events.longestRead = max(a.events.longestRead, o.Now()-a.events.read)
	return a.checkFinished(len(chunk.text)+len(chunk.reasoning)+len(chunk.toolText), r)
}
