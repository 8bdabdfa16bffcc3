package openai

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"
)

// transport sends requests of net/http by lines: what a Generator asks, and what a Client asks beside its measurements,
// goes by connections that are opened, written and read in one way. It is safe for use by many goroutines.
type transport struct {
	config  *tls.Config
	dial    dialer
	connect time.Duration // see lines
	unused  time.Duration // see lines

	mu      sync.Mutex
	servers map[string]*lines // by scheme and host
	writers sync.Pool         // of *bufio.Writer
}

// lines are the connections to the server of a URL.
func (t *transport) lines(u *url.URL) *lines {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := u.Scheme + "://" + u.Host
	l := t.servers[name]
	if l == nil {
		l = newLines(u, t.config, t.dial, t.connect)
		l.longest = t.unused
		if t.servers == nil {
			t.servers = map[string]*lines{}
		}
		t.servers[name] = l
	}
	return l
}

// CloseIdleConnections closes the connections that wait, as http.Client wants it.
func (t *transport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.servers {
		l.close()
	}
}

// RoundTrip implements http.RoundTripper. It tries once.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, of := r.Context(), t.lines(r.URL)
	c, err := take(ctx, of)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // it is in memory
		}
		return nil, err
	}
	b := &body{line: c, of: of, forget: context.AfterFunc(ctx, func() { _ = c.SetDeadline(past) })}
	b.begin(t, r)
	c.whole = true
	h, err := c.readHead() // a server may answer before it has read all of the request
	if err != nil {
		return nil, b.unanswered(ctx, err)
	}
	if h.status == "" {
		h.status = "200 OK"
	}
	return &http.Response{
		Status: h.status, StatusCode: h.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h.fields, Body: b,
		ContentLength: -1, Request: r,
	}, nil
}

// take is a connection for a request, whose trace is told whether it has served before.
func take(ctx context.Context, of *lines) (*line, error) {
	c, err := of.get(ctx)
	if dial := new(dialError); errors.As(err, &dial) && dial.handshake {
		return nil, dial.error // there is a server
	}
	if err != nil {
		return nil, err
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: c.Conn, Reused: !c.since.IsZero()})
	}
	if err := c.SetDeadline(time.Time{}); err != nil { // a measurement may have set one
		_ = c.Close() // it is closed already
		return nil, err
	}
	return c, nil
}

// strange is an answer that is not of HTTP: the connection is of no more use, and the request may be sent again.
func strange(err error) error {
	if errors.Is(err, ErrStream) {
		return fmt.Errorf("%v", err) //nolint:errorlint // not an answer that is there and wrong, which ErrStream would be
	}
	return err
}

// body is the body of an answer. Its connection serves again when it was read to its end, and closed.
type body struct {
	*line
	of      *lines
	forget  func() bool // ends the watch of the context; false: the context has ended
	written chan error  // nil: the request is written
	failed  error       // how writing went, where written is nil
	closed  bool
}

// begin writes the request; one that is long is written while its answer is waited for: a server may refuse it, and
// read no more of it.
func (b *body) begin(t *transport, r *http.Request) {
	if r.ContentLength <= mostAhead {
		b.failed = t.write(b.line, r)
		return
	}
	b.written = make(chan error, 1)
	go func() { b.written <- t.write(b.line, r) }()
}

// write writes a request.
func (t *transport) write(c *line, r *http.Request) error {
	w, ok := t.writers.Get().(*bufio.Writer)
	if !ok {
		w = bufio.NewWriter(nil)
	}
	defer t.writers.Put(w)
	defer w.Reset(nil)
	w.Reset(c.Conn)
	if err := r.Write(w); err != nil {
		return err
	}
	return w.Flush()
}

// unanswered ends an exchange without an answer, and is its fault.
func (b *body) unanswered(ctx context.Context, err error) error {
	writing := b.end()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case writing != nil && !late(writing):
		return writing
	case errors.Is(err, io.ErrUnexpectedEOF) && b.line.end == 0:
		return io.EOF
	case errors.Is(err, errSwitched):
		return err
	}
	return strange(err)
}

// Read reads the body, as line does.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.line.Read(p)
	return n, strange(err)
}

// Close implements io.Closer.
func (b *body) Close() error {
	_ = b.end() // the answer is what counts
	return nil
}

// end ends the exchange, and says how writing the request went.
func (b *body) end() error {
	if b.closed {
		return nil
	}
	b.closed = true
	if b.written != nil {
		select {
		case b.failed = <-b.written:
		default:
			b.keeps = false
			_ = b.SetWriteDeadline(past) // what is left of it is of no use
			b.failed = <-b.written
		}
	}
	if uninterrupted := b.forget(); uninterrupted && b.failed == nil && b.reusable() {
		b.of.put(b.line)
	} else {
		_ = b.line.Close() // the answer is complete, or has failed already
	}
	return b.failed
}
