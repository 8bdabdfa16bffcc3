package openai

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// connPool contains the idle connections to one server. This package implements HTTP/1.1 itself: the goroutine of a
// request writes it and reads the answer, so that read times are exact, and a request in progress takes a third of the
// memory that net/http uses.
type connPool struct {
	address        string
	config         *tls.Config // nil: without TLS
	dial           dialFunc
	connectTimeout time.Duration // maximum time until a connection is secure; 0: any
	maxIdle        time.Duration // maximum idle time of a reusable connection; 0: any

	mu     sync.Mutex
	unused []*httpConn // the most recently used one is last
}

// newConnPool returns the pool of connections to the server of a base URL.
func newConnPool(base *url.URL, config *tls.Config, dial dialFunc, connect time.Duration) *connPool {
	l := &connPool{dial: dial, connectTimeout: connect}
	if base.Scheme == "https" {
		l.config = config.Clone()
		l.config.ServerName = base.Hostname()
		l.config.NextProtos = []string{"http/1.1"}
		l.config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	l.address = net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), defaultPort(base)))
	return l
}

func defaultPort(base *url.URL) string {
	if base.Scheme == "https" {
		return "443"
	}
	return "80"
}

// getConn returns an idle connection or a new one. For a new connection, the error is a dialError or that of ctx.
func (l *connPool) getConn(ctx context.Context) (*httpConn, error) {
	for {
		c := l.takeIdle()
		if c == nil {
			return l.openConn(ctx)
		}
		if (l.maxIdle == 0 || time.Since(c.lastUsed) < l.maxIdle) && c.alive() {
			return c, nil
		}
		_ = c.Close() // the connection is unused
	}
}

func (l *connPool) takeIdle() *httpConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.unused)
	if n == 0 {
		return nil
	}
	c := l.unused[n-1]
	l.unused[n-1] = nil
	l.unused = l.unused[:n-1]
	return c
}

// putConn keeps a connection for later requests. The connections that were idle longest are first.
func (l *connPool) putConn(c *httpConn) {
	c.lastUsed = time.Now()
	if len(c.buffer) > maxLineBuffer { // do not keep the memory of a long head
		c.buffer = make([]byte, minLineBuffer)
	}
	c.start, c.end, c.wantsFields = 0, 0, false
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unused = append(l.unused, c)
	if old := l.unused[0]; l.maxIdle > 0 && c.lastUsed.Sub(old.lastUsed) > l.maxIdle {
		_ = old.Close()
		l.unused = append(l.unused[:0], l.unused[1:]...)
	}
}

// close closes the idle connections.
func (l *connPool) close() {
	for c := l.takeIdle(); c != nil; c = l.takeIdle() {
		_ = c.Close()
	}
}

func (l *connPool) openConn(ctx context.Context) (*httpConn, error) {
	if l.connectTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.connectTimeout, errConnectTimeout)
		defer cancel()
	}
	conn, err := l.dial(ctx, "tcp", l.address)
	var socket net.Conn
	handshake := err == nil && l.config != nil
	if err == nil {
		conn = newSocket(conn)
		socket = conn
	}
	if err == nil && l.config != nil {
		secure := tls.Client(conn, l.config)
		if err = secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
		}
		conn = secure
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errConnectTimeout) {
			return nil, cause
		}
		return nil, &dialError{error: err, handshake: handshake}
	}
	c := &httpConn{Conn: conn, buffer: make([]byte, minLineBuffer)}
	c.arrivalSource, _ = socket.(arrivalCounter)
	return c, nil
}

// arrivalCounter counts arrivals of data. Reads that belong to the same arrival return the same count.
type arrivalCounter interface{ arrivals() int }

var errConnectTimeout = errors.New("it did not connect within connect_timeout")

// httpConn is a connection that serves one request at a time. Its Read reads the body of the answer.
type httpConn struct {
	net.Conn
	arrivalSource arrivalCounter // nil: arrivals are unknown
	lastUsed      time.Time      // time of the last use; zero: not used yet

	buffer     []byte
	start, end int  // read but unused part of buffer
	full       bool // the last read filled the buffer

	frame       bodyFraming
	left        int64 // remaining bytes of the body or of the current chunk
	state       chunkState
	keepsAlive  bool // the connection is reusable after this answer
	wantsFields bool // keep all header fields of the answer
}

// wasDropped reports whether the first read of an answer failed because the server closed an idle connection, so that
// no part of an answer arrived.
func (c *httpConn) wasDropped(err error) bool {
	closed := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	return closed && !c.lastUsed.IsZero() && c.end == 0
}

// minLineBuffer is the initial size of a connection's buffer, for the head of an answer or an event. If reads fill the
// buffer, it grows up to maxLineBuffer. 10,000 connections that each wait for single tokens keep small buffers.
const (
	minLineBuffer = 512
	maxLineBuffer = 2 << 10
)

// maxHeadBytes is the maximum size of the head of an answer.
const maxHeadBytes = 64 << 10

// bodyFraming is the method that determines the end of an answer's body.
type bodyFraming uint8

const (
	byLength bodyFraming = iota
	byChunks
	byClose
	bodyEnded
)

// chunkState is the next part of a chunked body.
type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkData
	chunkEnd // end of line after the chunk's data
	trailer  // lines after the last chunk
)

// responseHead contains the head of an answer. kind is valid until the next read of the connection.
type responseHead struct {
	code   int
	status string      // status code with its reason
	kind   []byte      // type of the content, without parameters
	coding []byte      // encoding of the content; empty: none
	moved  string      // target of a redirection; empty: none
	fields http.Header // all fields, if httpConn.whole is set
}

// readHead reads the head of an answer. It skips heads with status codes below 200.
func (c *httpConn) readHead() (h responseHead, err error) {
	for {
		n, err := c.headEnd()
		if err != nil {
			return h, err
		}
		text := c.buffer[c.start : c.start+n]
		c.start += n
		if h, err = c.parseHead(text); err != nil || h.code >= 200 {
			return h, err
		}
		if h.code == http.StatusSwitchingProtocols {
			c.keepsAlive = false
			return h, errSwitchedProtocols
		}
	}
}

// headEnd reads until the head is complete. It returns the length of the head including the empty line.
func (c *httpConn) headEnd() (int, error) {
	for seen := 0; ; {
		unused := c.buffer[c.start:c.end]
		for seen < len(unused) {
			i := bytes.IndexByte(unused[seen:], '\n')
			if i < 0 {
				break
			}
			if rest := unused[seen+i+1:]; len(rest) > 0 && rest[0] == '\n' {
				return seen + i + 2, nil
			} else if len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
				return seen + i + 3, nil
			} else if len(rest) < 2 {
				break
			}
			seen += i + 1
		}
		if len(unused) >= maxHeadBytes {
			return 0, fmt.Errorf("%w: its head has more than %d KiB", ErrStream, maxHeadBytes>>10)
		}
		if err := c.fillBuffer(); err != nil {
			return 0, err
		}
	}
}

// parseHead parses the head of an answer (RFC 9112) and determines how to read the body.
func (c *httpConn) parseHead(text []byte) (h responseHead, err error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	version, status, _ := bytes.Cut(bytes.TrimSpace(first), []byte(" "))
	code, _, _ := bytes.Cut(status, []byte(" "))
	if h.code, err = strconv.Atoi(string(code)); err != nil || len(code) != 3 || h.code < 100 ||
		!bytes.HasPrefix(version, []byte("HTTP/1.")) {
		return h, fmt.Errorf("%w: it begins with %.100q, want HTTP/1.1 and a status", ErrStream, first)
	}
	if h.code != 200 {
		h.status = string(status)
	}
	is11 := string(version) == "HTTP/1.1"
	if c.wantsFields {
		h.fields = http.Header{}
	}
	c.frame, c.left, c.state, c.keepsAlive = byClose, 0, chunkSize, is11
	for len(rest) > 0 {
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte("\n"))
		name, value, _ := bytes.Cut(field, []byte(":"))
		if err := c.headField(&h, is11, name, bytes.TrimSpace(value)); err != nil {
			return h, err
		}
	}
	if h.code < 200 || h.code == 204 || h.code == 304 || c.frame == byLength && c.left == 0 {
		c.frame = bodyEnded
	}
	c.keepsAlive = c.keepsAlive && c.frame != byClose
	return h, nil
}

// headField processes a header field of an answer.
func (c *httpConn) headField(h *responseHead, is11 bool, name, value []byte) error {
	if name = bytes.TrimSpace(name); h.fields != nil && len(name) > 0 {
		h.fields.Add(string(name), string(value))
	}
	switch {
	case equalFold(name, "Content-Type"):
		h.kind, _, _ = bytes.Cut(value, []byte(";"))
		h.kind = bytes.TrimSpace(h.kind)
	case equalFold(name, "Content-Length") && c.frame != byChunks:
		return c.setLength(value)
	case equalFold(name, "Transfer-Encoding") && is11: // not part of HTTP/1.0
		if !equalFold(value, "chunked") {
			return fmt.Errorf("%w: its Transfer-Encoding is %.100q, want chunked", ErrStream, value)
		}
		c.frame, c.left = byChunks, 0
	case equalFold(name, "Content-Encoding") && !equalFold(value, "identity"):
		h.coding = value
	case equalFold(name, "Location") && h.code/100 == 3:
		h.moved = string(value[:min(len(value), maxErrorBody)])
	case equalFold(name, "Connection") && equalFold(value, "close"):
		c.keepsAlive = false
	}
	return nil
}

// setLength processes a Content-Length, which must not differ from an earlier one.
func (c *httpConn) setLength(value []byte) error {
	n, err := strconv.ParseUint(string(value), 10, 62)
	if err != nil || c.frame == byLength && int64(n) != c.left {
		return fmt.Errorf("%w: its Content-Length is %.100q", ErrStream, value)
	}
	c.frame, c.left = byLength, int64(n)
	return nil
}

// equalFold compares text with word, ignoring case.
func equalFold(text []byte, word string) bool { return bytes.EqualFold(text, []byte(word)) }

// fillBuffer reads more data after the unused part. At the end of the connection, the error is io.ErrUnexpectedEOF.
func (c *httpConn) fillBuffer() error {
	if c.start > 0 {
		c.end = copy(c.buffer, c.buffer[c.start:c.end])
		c.start = 0
	}
	if c.end == len(c.buffer) || c.full && len(c.buffer) < maxLineBuffer {
		c.buffer = append(c.buffer, make([]byte, len(c.buffer))...)
	}
	n, err := c.Conn.Read(c.buffer[c.end:])
	c.end += n
	c.full = c.end == len(c.buffer)
	switch {
	case n > 0:
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	case err == nil:
		return io.ErrNoProgress
	}
	return err
}

// Read reads the available part of the body, possibly of several chunks. The error is io.EOF at the end of the body,
// together with the last bytes if the end is already known, and io.ErrUnexpectedEOF if the connection ends earlier.
func (c *httpConn) Read(p []byte) (n int, err error) {
	switch c.frame {
	case bodyEnded:
		return 0, io.EOF
	case byChunks:
		return c.readChunks(p)
	}
	if c.start == c.end {
		if err := c.fillBuffer(); c.frame == byClose && errors.Is(err, io.ErrUnexpectedEOF) {
			c.frame = bodyEnded
			return 0, io.EOF
		} else if err != nil {
			return 0, err
		}
	}
	have := c.buffer[c.start:c.end]
	if c.frame == byLength && int64(len(have)) > c.left {
		have = have[:c.left]
	}
	n = copy(p, have)
	c.start += n
	if c.frame == byLength {
		if c.left -= int64(n); c.left == 0 {
			c.frame = bodyEnded
			return n, io.EOF
		}
	}
	return n, nil
}

func (c *httpConn) readChunks(p []byte) (n int, err error) {
	for {
		if c.state == chunkData {
			if n == len(p) {
				return n, nil
			}
			have := c.buffer[c.start:c.end]
			k := copy(p[n:], have[:min(int64(len(have)), c.left)])
			n, c.start = n+k, c.start+k
			if c.left -= int64(k); c.left == 0 {
				c.state = chunkEnd
				continue
			}
		} else if done, err := c.chunkLine(); err != nil {
			return n, err
		} else if done {
			if c.frame == bodyEnded {
				return n, io.EOF
			}
			continue
		}
		if n > 0 { // reading more would block
			return n, nil
		}
		if err := c.fillBuffer(); err != nil {
			return 0, err
		}
	}
}

// chunkLine processes a line between the data of two chunks. done is false if the line is incomplete.
func (c *httpConn) chunkLine() (done bool, err error) {
	unused := c.buffer[c.start:c.end]
	at := bytes.IndexByte(unused, '\n')
	if at < 0 {
		if len(unused) > maxHeadBytes {
			return false, fmt.Errorf("%w: a line between its chunks has more than %d KiB", ErrStream, maxHeadBytes>>10)
		}
		return false, nil
	}
	text := bytes.TrimRight(unused[:at], " \t\r")
	c.start += at + 1
	switch c.state {
	case chunkSize:
		size, _, _ := bytes.Cut(text, []byte(";"))
		v, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 62)
		if err != nil {
			return false, fmt.Errorf("%w: a chunk of it begins with %.100q, want its size", ErrStream, text)
		}
		if c.left, c.state = int64(v), chunkData; v == 0 {
			c.state = trailer
		}
	case chunkEnd:
		if len(text) > 0 {
			return false, fmt.Errorf("%w: a chunk of it is followed by %.100q, want a line's end", ErrStream, text)
		}
		c.state = chunkSize
	case trailer:
		if len(text) == 0 {
			c.frame = bodyEnded
		}
	}
	return true, nil
}

// isReusable reports whether the connection can send the next request: the answer has ended, and no further data was
// received.
func (c *httpConn) isReusable() bool { return c.keepsAlive && c.frame == bodyEnded && c.start == c.end }

// isTimeout reports whether an error is the timeout of a deadline.
func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
