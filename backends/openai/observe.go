package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"
)

// Observer takes what comes of one request, from the goroutine that asks.
type Observer interface {
	// Now is the clock of all times: nanoseconds.
	Now() int64
	// Event takes one event of a stream, or an answer in one piece as one event. It is valid until Event returns.
	Event(e *Event)
}

// Event is one event of a stream.
type Event struct {
	At   int64 // when the read returned that brought its end, by the Observer's clock
	Kind EventKind
	// Text is of the answer, Thought of the reasoning before it, Called the names and arguments of tool calls.
	Text, Thought, Called []byte
	// Tokens is the number of token ids, or else of log probabilities; 0: the server reports neither.
	Tokens int
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

// Told is what a request came to.
type Told struct {
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

// Failure is how a request failed.
type Failure struct {
	Kind FailureKind
	Code int // the status of HTTP, where Kind is BadStatus
	Err  error
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// FailureKind is where a request failed.
type FailureKind uint8

// The kinds of failures.
const (
	NotConnected FailureKind = iota // there was no connection
	BadStatus                       // the server answered with another status than 200
	BadAnswer                       // the server reports an error in its answer, or the answer cannot be read
	CutOff                          // the connection ended before the answer did
	TimedOut                        // it took longer than an option lets it
	Interrupted                     // the context ended, for a reason of the caller's
)

// observed is the working memory of one Ask call.
type observed struct {
	parser   parser
	events   events
	event    Event
	usage    usage
	progress atomic.Uint32
	finish   string
	parts    int
}

// mostKept bounds the buffers that are kept for later answers.
const mostKept = 64 << 10

// Ask sends a request to a server and hands what comes to o, until the stream is closed. The error is a *Failure. It
// tries once: only where a connection that was kept turns out to be closed before anything of the request was written,
// another is opened.
func (c *Client) Ask(ctx context.Context, r Request, o Observer) (Told, error) {
	a, ok := c.calls.Get().(*observed)
	if !ok {
		a = &observed{}
	}
	a.usage, a.finish, a.parts = usage{}, "", 0
	defer func() {
		if len(a.events.buffer) <= mostKept { // one long answer need not stay in memory
			c.calls.Put(a)
		}
	}()
	n := c.choose(r.session)
	to := &c.lanes[n]
	to.running.Add(1)
	defer to.running.Add(-1)
	told := Told{Server: n}
	err := c.ask(ctx, to, r, o, a, &told)
	told.Usage, told.Finish, told.Longest = a.usage.told(), a.finish, a.events.longest
	if err != nil {
		told.End = o.Now()
		return told, err
	}
	return told, nil
}

// choose is the server for a request: the session's, or the one with the fewest requests; equals take turns.
func (c *Client) choose(session string) int {
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

// told is the count as it is shown.
func (u usage) told() TokenUsage {
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
	if u.tells&tellsCached != 0 {
		t.Cached = u.cached
	}
	return t
}

func (c *Client) ask(ctx context.Context, to *lane, r Request, o Observer, a *observed, told *Told) error {
	s := &c.settings
	if s.total > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, s.total, errTotalTimeout)
		defer done()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.base.String()+r.path, bytes.NewReader(r.body))
	if err != nil {
		return &Failure{Kind: NotConnected, Err: err}
	}
	request.Header = c.header
	if len(r.header) > 0 {
		request.Header = c.header.Clone()
		for name, value := range r.header {
			request.Header.Set(name, value)
		}
	}
	w := startWatch(s.first, s.idle, &a.progress, cancel)
	defer w.stop()
	told.Sent = o.Now()
	response, err := c.client.Do(request)
	if err != nil {
		return unanswered(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return c.badStatus(ctx, response)
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "text/event-stream":
		err = a.readStream(ctx, response.Body, o, r.most, cancel)
	case err == nil && kind == "application/json":
		told.Whole = true
		err = a.readWhole(ctx, response.Body, r.api, o)
	default:
		err = &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w: its content is %.200q, want text/event-stream or "+
			"application/json", ErrStream, response.Header.Get("Content-Type"))}
	}
	told.End = a.events.read
	return err
}

// unanswered is the failure of a request that got no answer, or of an answer that broke off.
func unanswered(ctx context.Context, err error) *Failure {
	var dial *dialError
	if cause := context.Cause(ctx); cause != nil {
		for _, timeout := range []error{errFirstTimeout, errIdleTimeout, errTotalTimeout} {
			if errors.Is(cause, timeout) {
				return &Failure{Kind: TimedOut, Err: cause}
			}
		}
		return &Failure{Kind: Interrupted, Err: cause}
	}
	switch {
	case errors.As(err, &dial), isTLS(err):
		return &Failure{Kind: NotConnected, Err: err}
	case errors.Is(err, errRedirect), errors.Is(err, errLongEvent):
		return &Failure{Kind: BadAnswer, Err: err}
	}
	return &Failure{Kind: CutOff, Err: err}
}

// badStatus is the failure of a request that was answered with another status than 200.
func (c *Client) badStatus(ctx context.Context, response *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(response.Body, bodyShown))
	if err != nil {
		return unanswered(ctx, err)
	}
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // so that the connection can serve again
	return &Failure{Kind: BadStatus, Code: response.StatusCode,
		Err: fmt.Errorf("%.200s: %s", response.Status, message(body))}
}

// readStream takes the events of a stream, of at most so many bytes, until it is closed.
func (a *observed) readStream(ctx context.Context, body io.Reader, o Observer, most int64,
	cancel context.CancelCauseFunc) error {
	a.events.reset(body)
	a.events.observe(o.Now)
	for {
		ev, err := a.events.next()
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && a.finish != "":
			return a.finished()
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return &Failure{Kind: CutOff, Err: fmt.Errorf("the stream was cut after %d events and %d bytes", a.parts,
				a.events.received)}
		default:
			return unanswered(ctx, err)
		}
		a.progress.Add(1)
		switch {
		case a.events.received > most:
			return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w: it goes on behind %d MiB, more than the tokens that it was "+
				"asked for may take", ErrStream, most>>20)}
		case ev.isLast():
			a.drain(cancel)
			return a.finished()
		case ev.isComment:
			a.event = Event{At: a.events.read, Kind: CommentEvent}
			o.Event(&a.event)
			continue
		}
		chunk, ok := a.parser.parse(ev.data)
		switch {
		case ev.isError || chunk.hasFault:
			return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w within an answer: %s", ErrServer, message(ev.data))}
		case !ok:
			return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w: event of %d bytes is not what the API has: %.200q", ErrStream,
				len(ev.data), ev.data)}
		}
		a.take(chunk, o)
	}
}

// take hands an event over.
func (a *observed) take(c *chunk, o Observer) {
	a.parts++
	a.usage.add(c.usage)
	if c.finish != "" {
		a.finish = c.finish
	}
	e := &a.event
	*e = Event{At: a.events.read, Text: c.text, Thought: c.thought, Called: c.called, Tokens: len(c.ids)}
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

// drain waits until the stream is closed behind its last event, but not for long: some servers keep it open.
func (a *observed) drain(cancel context.CancelCauseFunc) {
	if a.events.ended {
		return
	}
	late := time.AfterFunc(longestDrain, func() { cancel(nil) })
	a.events.skipRest()
	late.Stop()
}

// finished judges an answer that has ended.
func (a *observed) finished() error {
	switch a.finish {
	case "error", "abort", "content_filter":
		return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w: the answer ended with %q", ErrServer, a.finish)}
	}
	return nil
}

// mostWhole bounds an answer in one piece: embeddings of many texts are tens of megabytes.
const mostWhole = 256 << 20

// readWhole takes an answer in one piece as one event, at the time when its last byte came.
func (a *observed) readWhole(ctx context.Context, body io.Reader, of API, o Observer) error {
	a.events.reset(body)
	a.events.observe(o.Now)
	text, err := a.events.all(mostWhole)
	if err != nil {
		return unanswered(ctx, err)
	}
	chunk, ok := a.parser.parse(text)
	switch {
	case chunk.hasFault:
		return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w in its answer: %s", ErrServer, message(text))}
	case !ok:
		return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w: answer of %d bytes is not what the API has: %.200q", ErrStream,
			len(text), text)}
	case (of == Embeddings || of == Rerank) && chunk.results == 0:
		return &Failure{Kind: BadAnswer, Err: fmt.Errorf("%w: it has no results: %.200q", ErrStream, text)}
	}
	a.take(chunk, o)
	a.events.longest = max(a.events.longest, o.Now()-a.events.read)
	return a.finished()
}

// isTLS tells whether there was a server, but no secure connection to it.
func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert)
}
