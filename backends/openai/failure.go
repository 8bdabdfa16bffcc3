package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The errors that this package returns, for use with errors.Is.
var (
	// ErrStream means that an answer is truncated, malformed or too slow, or lacks its number of tokens.
	ErrStream = errors.New("the server's answer is not usable")
	// ErrServer means that a server reported an error.
	ErrServer = errors.New("the server reports an error")
	// ErrPrefixCache means that a server cached prompts between queries.
	ErrPrefixCache = errors.New("the server took a part of the prompt from its cache, which the rules forbid")
)

// tryFailure describes a failed attempt.
type tryFailure struct {
	err  error
	gone bool          // the server is unreachable, or the connection broke off
	busy bool          // the server cannot accept more requests now
	late bool          // the server is too slow
	wait time.Duration // time that the server asks to wait
}

func (f *tryFailure) Error() string { return f.err.Error() }
func (f *tryFailure) Unwrap() error { return f.err }

// Causes of a context's end before the answer is complete.
var (
	errFirstTimeout = errors.New("nothing came within first_timeout")
	errIdleTimeout  = errors.New("nothing more came within idle_timeout")
	errTotalTimeout = errors.New("the answer was not complete within timeout")
)

// timeoutError returns an error that describes at which point option timeout expired. Other causes of a context's end
// come from the caller and are returned unchanged.
func timeoutError(where string, cause error) error {
	if !errors.Is(cause, errTotalTimeout) {
		return cause
	}
	return fmt.Errorf("%s: %w: %w", where, ErrStream, cause)
}

// connectionFailure returns the failure of a request without an answer, or of an answer that broke off.
func connectionFailure(ctx context.Context, err error) *tryFailure {
	cause := context.Cause(ctx)
	switch breakKind(cause, err) {
	case TimedOut:
		return &tryFailure{err: fmt.Errorf("%w: %w", ErrStream, cause), late: !errors.Is(cause, errTotalTimeout)}
	case Interrupted:
		return &tryFailure{err: cause}
	case BadAnswer:
		if !errors.Is(err, ErrStream) {
			err = fmt.Errorf("%w: %w", ErrStream, err)
		}
		return &tryFailure{err: err}
	default:
		return &tryFailure{err: err, gone: true}
	}
}

// breakKind returns the kind of failure if a request's connection ended with err. cause is the cause of its context;
// nil: the context has not ended.
func breakKind(cause, err error) FailureKind {
	var dial *dialError
	switch {
	case isOptionTimeout(cause):
		return TimedOut
	case cause != nil:
		return Interrupted
	case isOptionTimeout(err):
		return TimedOut
	case errors.As(err, &dial):
		return NotConnected
	case errors.Is(err, errRedirect), errors.Is(err, errLongEvent),
		errors.Is(err, ErrStream) && !errors.Is(err, io.ErrUnexpectedEOF):
		return BadAnswer
	}
	return CutOff
}

// isOptionTimeout reports whether one of the timeout options expired.
func isOptionTimeout(err error) bool {
	return errors.Is(err, errFirstTimeout) || errors.Is(err, errIdleTimeout) || errors.Is(err, errTotalTimeout)
}

// statusFailure returns the failure of a request whose status is not 200. body is the beginning of the answer.
func statusFailure(r *http.Response, body []byte) *tryFailure {
	f := &tryFailure{wait: retryAfter(r.Header.Get("Retry-After"))}
	hint := ""
	switch r.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		f.busy = true
	case http.StatusBadRequest:
		if r.Request != nil && strings.HasSuffix(r.Request.URL.Path, Chat.urlPath()) { // chats have no ids
			break
		}
		hint = "; token ids must be those of the server's model: give its tokenizer (--param tokenizer=FILE), or send text " +
			"(--param tokenizer=server)"
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = "; is the API key right (option key_env)?"
	case http.StatusNotFound:
		hint = "; are the model's name and the path right (options model and url)?"
	}
	f.err = &httpError{
		code: r.StatusCode, server: r.Header.Get("Server"), hint: hint,
		text: fmt.Sprintf("%.200s: %s", r.Status, errorMessage(body)),
	}
	return f
}

// httpError is an answer whose status is not 200.
type httpError struct {
	code   int
	text   string // the status and the message in the body
	hint   string // advice for the user of a benchmark
	server string // header field Server
}

func (e *httpError) Error() string { return ErrServer.Error() + ": " + e.text + e.hint }
func (e *httpError) Unwrap() error { return ErrServer }

// errorMessage returns the message in an error's body, shortened for display.
func errorMessage(body []byte) string {
	text := string(body[:min(len(body), maxErrorBody)])
	var p chunkParser
	if c, ok := p.parseEvent(body); ok && c.fault != "" {
		text = c.fault[:min(len(c.fault), maxErrorBody)]
	}
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")); text == "" {
		return "no reason given"
	}
	return text
}

// checkEvent returns the fault of an event, from which a parser made a chunk; nil: none. ok is false if it could not.
func (ev streamEvent) checkEvent(c *answerChunk, ok bool) error {
	switch {
	case ev.isError || c.hasFault:
		return fmt.Errorf("%w within an answer: %s", ErrServer, errorMessage(ev.data))
	case !ok:
		return fmt.Errorf("%w: event of %d bytes is not what the API has: %.200q", ErrStream, len(ev.data), ev.data)
	}
	return nil
}

// finishFault returns an error if the answer's finish reason makes it unusable; nil: it is usable.
func finishFault(reason string) error {
	switch reason {
	case "error", "abort", "content_filter":
		return fmt.Errorf("%w: the answer ended with %q", ErrServer, reason)
	}
	return nil
}

// encodingError returns the error for an answer whose content was encoded although the request does not permit it.
func encodingError(coding string) error {
	return fmt.Errorf("%w: its content is encoded (%.100q), which it was not asked for: a proxy does so", ErrStream,
		coding)
}

// retryAfter parses a number of seconds. It returns 0 for a date or an empty text.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
