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

// Errors of this package, found with errors.Is.
var (
	// ErrStream is an answer that is cut short, malformed, too slow, or lacks its number of tokens.
	ErrStream = errors.New("the server's answer is not usable")
	// ErrServer is an error that a server reports.
	ErrServer = errors.New("the server reports an error")
	// ErrPrefixCache is a server that keeps prompts between queries.
	ErrPrefixCache = errors.New("the server took a part of the prompt from its cache, which the rules forbid")
)

// tryFailure is a try that failed.
type tryFailure struct {
	err  error
	gone bool          // the server cannot be reached, or broke off
	busy bool          // the server cannot take more now
	late bool          // the server is too slow
	wait time.Duration // how long it asks to wait
}

func (f *tryFailure) Error() string { return f.err.Error() }
func (f *tryFailure) Unwrap() error { return f.err }

// Causes of a context that ends before an answer does.
var (
	errFirstTimeout = errors.New("nothing came within first_timeout")
	errIdleTimeout  = errors.New("nothing more came within idle_timeout")
	errTotalTimeout = errors.New("the answer was not complete within timeout")
)

// timeoutError says where the time of option timeout was over. Other causes of a context's end are the caller's,
// and remain as they are.
func timeoutError(where string, cause error) error {
	if !errors.Is(cause, errTotalTimeout) {
		return cause
	}
	return fmt.Errorf("%s: %w: %w", where, ErrStream, cause)
}

// connectionFailure is the failure of a request that was not answered, or of an answer that broke off.
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

// breakKind is where a request failed whose connection ended in err. cause is that of its context; nil: it goes on.
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

// isOptionTimeout tells whether the time of one of the timeout options was over.
func isOptionTimeout(err error) bool {
	return errors.Is(err, errFirstTimeout) || errors.Is(err, errIdleTimeout) || errors.Is(err, errTotalTimeout)
}

// statusFailure is the failure of a request that was answered with another status than 200. body is the start of the
// answer.
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

// httpError is an answer with another status than 200.
type httpError struct {
	code   int
	text   string // the status, and what the body says
	hint   string // what a benchmark's user may do
	server string // its header Server
}

func (e *httpError) Error() string { return ErrServer.Error() + ": " + e.text + e.hint }
func (e *httpError) Unwrap() error { return ErrServer }

// errorMessage is what an error's body says, as far as it is shown.
func errorMessage(body []byte) string {
	text := string(body[:min(len(body), bodyShown)])
	var p chunkParser
	if c, ok := p.parseEvent(body); ok && c.fault != "" {
		text = c.fault[:min(len(c.fault), bodyShown)]
	}
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")); text == "" {
		return "no reason given"
	}
	return text
}

// checkEvent returns what is wrong with an event of an answer, of which a parser made a chunk, or could not: ok is
// false. Nil: nothing.
func (ev streamEvent) checkEvent(c *answerChunk, ok bool) error {
	switch {
	case ev.isError || c.hasFault:
		return fmt.Errorf("%w within an answer: %s", ErrServer, errorMessage(ev.data))
	case !ok:
		return fmt.Errorf("%w: event of %d bytes is not what the API has: %.200q", ErrStream, len(ev.data), ev.data)
	}
	return nil
}

// finishFault is an error of an answer that ended for a reason that makes it none; nil: it is an answer.
func finishFault(reason string) error {
	switch reason {
	case "error", "abort", "content_filter":
		return fmt.Errorf("%w: the answer ended with %q", ErrServer, reason)
	}
	return nil
}

// encodingError is an answer whose content was encoded, though no request says that it may be.
func encodingError(coding string) error {
	return fmt.Errorf("%w: its content is encoded (%.100q), which it was not asked for: a proxy does so", ErrStream,
		coding)
}

// retryAfter reads a number of seconds; a date, or nothing, gives 0.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
