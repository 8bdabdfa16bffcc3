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

// poolTransport sends requests of net/http through connPools. A Generator's requests and a Client's requests outside of
// measurements thus use the same connections. It is safe for concurrent use.
type poolTransport struct {
	config  *tls.Config
	dial    dialFunc
	connect time.Duration // see connPool
	unused  time.Duration // see connPool

	mu      sync.Mutex
	servers map[string]*connPool // by scheme and host
	writers sync.Pool            // of *bufio.Writer
}

// poolOf returns the pool of connections to the server of a URL.
func (t *poolTransport) poolOf(u *url.URL) *connPool {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := u.Scheme + "://" + u.Host
	l := t.servers[name]
	if l == nil {
		l = newConnPool(u, t.config, t.dial, t.connect)
		l.maxIdle = t.unused
		if t.servers == nil {
			t.servers = map[string]*connPool{}
		}
		t.servers[name] = l
	}
	return l
}

// CloseIdleConnections closes the idle connections. http.Client calls it.
func (t *poolTransport) CloseIdleConnections() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.servers {
		l.close()
	}
}

// RoundTrip implements http.RoundTripper. It tries once.
func (t *poolTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, of := r.Context(), t.poolOf(r.URL)
	c, err := takeConn(ctx, of)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // the body is in memory
		}
		return nil, err
	}
	b := new(answerBody)
	b.begin(ctx, of, c)
	if r.ContentLength <= maxAheadBytes {
		b.writeErr = t.writeRequest(c, r)
	} else {
		b.sendAhead(func() error { return t.writeRequest(c, r) })
	}
	c.wantsFields = true
	h, err := c.readHead() // a server may answer before it has read all of the request
	if err != nil {
		return nil, b.failExchange(ctx, err)
	}
	if h.status == "" {
		h.status = "200 OK"
	}
	return &http.Response{
		Status: h.status, StatusCode: h.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h.fields, Body: b,
		ContentLength: -1, Request: r,
	}, nil
}

// takeConn returns a connection for a request. It reports to the request's trace whether the connection was used
// before.
func takeConn(ctx context.Context, of *connPool) (*httpConn, error) {
	c, err := of.getConn(ctx)
	if dial := new(dialError); errors.As(err, &dial) && dial.handshake {
		return nil, dial.error // the server was reached
	}
	if err != nil {
		return nil, err
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: c.Conn, Reused: !c.lastUsed.IsZero()})
	}
	if err := c.SetDeadline(time.Time{}); err != nil { // a measurement may have set a deadline
		_ = c.Close() // the connection is already closed
		return nil, err
	}
	return c, nil
}

// notHTTPError returns the error for an answer that is not HTTP. The connection is not reusable, and the request may be
// sent again.
func notHTTPError(err error) error {
	if errors.Is(err, ErrStream) {
		return fmt.Errorf("%v", err) //nolint:errorlint // not an ErrStream, which would mean a wrong answer
	}
	return err
}

// answerBody is the body of an answer. Its connection is reusable after the body was read to its end and closed.
type answerBody struct{ connExchange }

// writeRequest writes a request.
func (t *poolTransport) writeRequest(c *httpConn, r *http.Request) error {
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

// failExchange ends an exchange without an answer and returns its error.
func (b *answerBody) failExchange(ctx context.Context, err error) error {
	writing := b.connExchange.end()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case writing != nil && !isTimeout(writing):
		return writing
	case errors.Is(err, io.ErrUnexpectedEOF) && b.httpConn.end == 0:
		return io.EOF
	case errors.Is(err, errSwitchedProtocols):
		return err
	}
	return notHTTPError(err)
}

// Read reads the body, like httpConn.Read.
func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.httpConn.Read(p)
	return n, notHTTPError(err)
}

// Close implements io.Closer.
func (b *answerBody) Close() error {
	_ = b.connExchange.end() // the answer determines the result
	return nil
}
