package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// generateCall is the working memory of one Generate call.
type generateCall struct {
	answer promptAnswer
	parser chunkParser
	events eventReader

	request       serverRequest
	maxBytes      int64 // maximum number of bytes of an answer
	singleAttempt bool  // a turn of a conversation, which is sent only once
	reused        bool  // for such a turn: the connection had been used before
}

// wasUnread reports whether the server closed a reused connection before it read the request. Some servers do so
// without an error message.
func (c *generateCall) wasUnread(f *tryFailure) bool {
	return f.gone && c.reused && !c.answer.firstReported
}

// maxAnswerBytes returns the maximum size of an answer, to detect endless ones: a generous size per token, with its id
// and log probabilities.
func maxAnswerBytes(tokens int) int64 {
	const other, each = 16 << 20, 16 << 10
	return other + each*int64(max(tokens, 0))
}

// maxErrorBody is the maximum number of bytes to read of an error's body.
const maxErrorBody = 4 << 10

// askEndpoint sends a request to an endpoint and reads the answer as it arrives. After an answer, it releases the place
// at the endpoint as soon as the connection is reusable, so that there are no more connections than places: in some
// servers each connection occupies a thread. After a failure, the place remains taken.
func (g *Generator) askEndpoint(ctx context.Context, e *serverEndpoint, r serverRequest, c *generateCall) *tryFailure {
	c.answer.askedAt = time.Now() // excludes waiting for a place and pauses
	c.answer.awaited = backend.StartWait(ctx, backend.WaitInfo{For: "an answer of " + e.base.Host})
	defer c.answer.awaited.End()
	ctx, cancel := context.WithCancelCause(ctx)
	w := startWatch(g.settings.first, g.settings.idle, &c.answer.progress, cancel)
	end := func() {
		w.stop()
		cancel(nil)
	}
	if c.singleAttempt {
		ctx = reuseOf(ctx, &c.reused)
	}
	response, fail := g.sendRequest(ctx, e, r)
	if fail != nil {
		end()
		return fail
	}
	c.reused = false // an answer has begun, so the server has read the request
	if fail = g.readEvents(ctx, response, c); fail != nil {
		_ = response.Body.Close() // the answer has already failed
		end()
		return fail
	}
	go drainBody(response.Body, cancel, func() {
		end()
		g.balancer.release(e)
	})
	return nil
}

// maxDrainTime is the maximum time for a connection to end a complete answer.
const maxDrainTime = 200 * time.Millisecond

// drainBody reads the rest of a complete answer in the background, so that its connection is reusable.
func drainBody(body io.ReadCloser, cancel context.CancelCauseFunc, free func()) {
	late := time.AfterFunc(maxDrainTime, func() { cancel(nil) })
	if _, err := io.CopyN(io.Discard, body, startBuffer); err == nil {
		cancel(nil) // there is more data than expected
	}
	late.Stop()
	_ = body.Close() // the answer is complete
	free()
}

func (g *Generator) sendRequest(ctx context.Context, e *serverEndpoint, r serverRequest) (*http.Response, *tryFailure) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.urlAt(e.base), bytes.NewReader(r.body))
	if err != nil {
		return nil, &tryFailure{err: err}
	}
	request.Header = r.requestHeader(g.header)
	response, err := g.client.Do(request)
	if err != nil {
		return nil, connectionFailure(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBody))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, connectionFailure(ctx, err)
	}
	return nil, statusFailure(response, body)
}

// readEvents reads the events of an answer until it is complete.
func (g *Generator) readEvents(ctx context.Context, r *http.Response, c *generateCall) *tryFailure {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return &tryFailure{err: encodingError(coding)}
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" && c.isTranscript() {
		return g.readWhole(ctx, r, c)
	}
	if kind == "application/json" && c.request.unstreamed {
		return g.readUnstreamed(ctx, r, c)
	}
	if err != nil || kind != "text/event-stream" {
		return &tryFailure{
			err: fmt.Errorf("%w: its content is %.200q, want text/event-stream; does the server stream?", ErrStream,
				r.Header.Get("Content-Type")),
		}
	}
	c.events.reset(r.Body)
	c.events.maxBytes = c.maxBytes
	switch ended, fault := c.events.eachEvent(c); {
	case fault != nil:
		return &tryFailure{err: fault}
	case ended != nil:
		return g.checkEarlyEnd(ctx, c, ended)
	}
	return g.checkComplete(c)
}

// noteEvent counts an event, for the watch over slow servers.
func (c *generateCall) noteEvent() error {
	c.answer.progress.Add(1)
	return nil
}

// takeEvent adds an event to the answer.
func (c *generateCall) takeEvent(ev streamEvent) error {
	parse := c.parser.parseEvent
	if c.request.native {
		parse = c.parser.parseGenerated
	}
	chunk, ok := parse(ev.data)
	if c.request.native && chunk.hasFault {
		return fmt.Errorf("%w within an answer: %.4096s", ErrServer, chunk.fault)
	}
	if err := ev.checkEvent(chunk, ok); err != nil {
		return err
	}
	if c.request.native {
		if err := c.answer.keepNewIDs(chunk); err != nil {
			return err
		}
	}
	return c.answer.addChunk(chunk)
}

// isTranscript reports whether the answer is a transcript.
func (c *generateCall) isTranscript() bool { return c.request.content != "" }

// checkEarlyEnd checks a stream that ended before its last event.
func (g *Generator) checkEarlyEnd(ctx context.Context, c *generateCall, err error) *tryFailure {
	if c.answer.endsBy(err) {
		return g.checkComplete(c)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it was cut after %d parts and %d bytes: %w", ErrStream, c.answer.parts, c.events.received,
			io.ErrUnexpectedEOF)
	}
	return connectionFailure(ctx, err)
}

// checkComplete checks a completed answer.
func (g *Generator) checkComplete(c *generateCall) *tryFailure {
	if c.answer.finish == "" && c.request.native {
		return &tryFailure{err: fmt.Errorf("%w: it ended after %d tokens without saying why (meta_info.finish_reason)",
			ErrStream, len(c.answer.ids))}
	}
	if err := finishFault(c.answer.finish); err != nil {
		return &tryFailure{err: err}
	}
	return nil
}

// requestHeader returns the header of a request. It shares the common fields with other requests.
func (r *serverRequest) requestHeader(common http.Header) http.Header {
	if r.content == "" && r.session == "" && (r.native || !r.unstreamed) {
		return common
	}
	h := common.Clone()
	if r.content != "" {
		h.Set("Content-Type", r.content)
	}
	if r.session != "" {
		h["X-Session-ID"] = []string{r.session}
	}
	if r.unstreamed && !r.native {
		h.Set("Accept", "application/json")
	}
	return h
}

// commonHeader returns the header fields of all requests.
func commonHeader(key string) http.Header {
	h := http.Header{
		"Content-Type": {"application/json"},
		"Accept":       {"text/event-stream"},
		"User-Agent":   {"plumbline"},
	}
	if key = strings.TrimSpace(key); key != "" {
		h["Authorization"] = []string{"Bearer " + key}
	}
	return h
}
