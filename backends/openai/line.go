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

// connPool holds the connections to one server that wait to be used again. This package speaks HTTP/1.1 by itself: the
// goroutine of a request writes it and reads what comes, so that nobody stands between a read and its time, and a
// request under way costs a third of the memory that it has with net/http.
type connPool struct {
	address string
	config  *tls.Config // nil: without TLS
	dial    dialFunc
	connect time.Duration // longest time until a connection is secure; 0: any
	longest time.Duration // that a connection may have waited that is used again; 0: any

	mu     sync.Mutex
	unused []*httpConn // the one that was used last at the end
}

// newLines are the connections to the server with a base URL.
func newLines(base *url.URL, config *tls.Config, dial dialFunc, connect time.Duration) *connPool {
	l := &connPool{dial: dial, connect: connect}
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

// getConn returns a connection that was used before, or a new one. The error of a new one is a dialError, or ctx's.
func (l *connPool) getConn(ctx context.Context) (*httpConn, error) {
	for {
		c := l.takeIdle()
		if c == nil {
			return l.openConn(ctx)
		}
		if (l.longest == 0 || time.Since(c.since) < l.longest) && c.alive() {
			return c, nil
		}
		_ = c.Close() // nobody uses it
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

// putConn keeps a connection for the next request. Those that have not been used for long are at the beginning.
func (l *connPool) putConn(c *httpConn) {
	c.since = time.Now()
	if len(c.buffer) > usualLine { // a long head need not stay in memory
		c.buffer = make([]byte, startLine)
	}
	c.start, c.end, c.whole = 0, 0, false
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unused = append(l.unused, c)
	if old := l.unused[0]; l.longest > 0 && c.since.Sub(old.since) > l.longest {
		_ = old.Close()
		l.unused = append(l.unused[:0], l.unused[1:]...)
	}
}

// close closes the connections that wait.
func (l *connPool) close() {
	for c := l.takeIdle(); c != nil; c = l.takeIdle() {
		_ = c.Close()
	}
}

func (l *connPool) openConn(ctx context.Context) (*httpConn, error) {
	if l.connect > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.connect, errConnectTimeout)
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
	c := &httpConn{Conn: conn, buffer: make([]byte, startLine)}
	c.from, _ = socket.(arrivalCounter)
	return c, nil
}

// arrivalCounter counts what came at once: where reads belong to one arrival, their number is the same behind each.
type arrivalCounter interface{ arrivals() int }

var errConnectTimeout = errors.New("it did not connect within connect_timeout")

// httpConn is a connection, on which one request at a time is answered. It is the reader of the answer's body.
type httpConn struct {
	net.Conn
	from  arrivalCounter // nil: it is not known
	since time.Time      // when it was last used; zero: it was not yet

	buffer     []byte
	start, end int  // what has been read of the connection, and is not yet used
	full       bool // the last read filled the buffer

	frame bodyFraming
	left  int64 // bytes of the body, or of the chunk that is being read
	state chunkState
	keeps bool // it can serve again behind this answer
	whole bool // all fields of the answer's head are wanted
}

// wasDropped says of an error of the first read of an answer that the server had kept the connection and closed it:
// nothing of an answer has come.
func (c *httpConn) wasDropped(err error) bool {
	closed := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	return closed && !c.since.IsZero() && c.end == 0
}

// startLine is the first size of a connection's buffer: the head of an answer, or an event. While reads fill it, since
// more than that comes at a time, it grows up to usualLine; 10,000 connections that wait for one token after the other
// have small ones.
const (
	startLine = 512
	usualLine = 2 << 10
)

// maxHeadBytes bounds the head of an answer.
const maxHeadBytes = 64 << 10

// bodyFraming is how the end of an answer's body is known.
type bodyFraming uint8

const (
	byLength bodyFraming = iota
	byChunks
	byClose
	ended
)

// chunkState is what comes next in a body of chunks.
type chunkState uint8

const (
	chunkSize chunkState = iota
	chunkData
	chunkEnd // the line's end behind its data
	trailer  // the lines behind the last chunk
)

// responseHead is what the head of an answer says. kind is valid until the connection is read again.
type responseHead struct {
	code   int
	status string      // the code with its reason
	kind   []byte      // of its content, without parameters
	coding []byte      // of its content; empty: none
	moved  string      // where a redirection points; empty: nowhere
	fields http.Header // all of them, where the line says so
}

// readHead reads the head of an answer, and leaves out those of codes below 200.
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
			c.keeps = false
			return h, errSwitched
		}
	}
}

// headEnd reads until a head is complete, and returns its length with the empty line behind it.
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

// parseHead takes the head of an answer apart (RFC 9112), and sets how its body is read.
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
	if c.whole {
		h.fields = http.Header{}
	}
	c.frame, c.left, c.state, c.keeps = byClose, 0, chunkSize, is11
	for len(rest) > 0 {
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte("\n"))
		name, value, _ := bytes.Cut(field, []byte(":"))
		if err := c.headField(&h, is11, name, bytes.TrimSpace(value)); err != nil {
			return h, err
		}
	}
	if h.code < 200 || h.code == 204 || h.code == 304 || c.frame == byLength && c.left == 0 {
		c.frame = ended
	}
	c.keeps = c.keeps && c.frame != byClose
	return h, nil
}

// headField takes a field of an answer's head.
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
	case equalFold(name, "Transfer-Encoding") && is11: // HTTP/1.0 has none
		if !equalFold(value, "chunked") {
			return fmt.Errorf("%w: its Transfer-Encoding is %.100q, want chunked", ErrStream, value)
		}
		c.frame, c.left = byChunks, 0
	case equalFold(name, "Content-Encoding") && !equalFold(value, "identity"):
		h.coding = value
	case equalFold(name, "Location") && h.code/100 == 3:
		h.moved = string(value[:min(len(value), bodyShown)])
	case equalFold(name, "Connection") && equalFold(value, "close"):
		c.keeps = false
	}
	return nil
}

// setLength takes a Content-Length, which must not differ from one before.
func (c *httpConn) setLength(value []byte) error {
	n, err := strconv.ParseUint(string(value), 10, 62)
	if err != nil || c.frame == byLength && int64(n) != c.left {
		return fmt.Errorf("%w: its Content-Length is %.100q", ErrStream, value)
	}
	c.frame, c.left = byLength, int64(n)
	return nil
}

// equalFold compares without case.
func equalFold(text []byte, word string) bool { return bytes.EqualFold(text, []byte(word)) }

// fillBuffer reads more behind what is unused. The error at the end of the connection is io.ErrUnexpectedEOF.
func (c *httpConn) fillBuffer() error {
	if c.start > 0 {
		c.end = copy(c.buffer, c.buffer[c.start:c.end])
		c.start = 0
	}
	if c.end == len(c.buffer) || c.full && len(c.buffer) < usualLine {
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

// Read reads the body: as much as has come, of as many chunks as there are. The error is io.EOF, with the last bytes
// where it is known by then, at the end of the body, and io.ErrUnexpectedEOF where the connection ends before.
func (c *httpConn) Read(p []byte) (n int, err error) {
	switch c.frame {
	case ended:
		return 0, io.EOF
	case byChunks:
		return c.readChunks(p)
	}
	if c.start == c.end {
		if err := c.fillBuffer(); c.frame == byClose && errors.Is(err, io.ErrUnexpectedEOF) {
			c.frame = ended
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
			c.frame = ended
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
			if c.frame == ended {
				return n, io.EOF
			}
			continue
		}
		if n > 0 { // more would have to be waited for
			return n, nil
		}
		if err := c.fillBuffer(); err != nil {
			return 0, err
		}
	}
}

// chunkLine takes a line between the data of two chunks, and tells whether there was a whole one.
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
			c.frame = ended
		}
	}
	return true, nil
}

// isReusable tells whether the next request may go this way: the answer is at its end, and nothing is behind it.
func (c *httpConn) isReusable() bool { return c.keeps && c.frame == ended && c.start == c.end }

// isTimeout tells whether an error is that of a deadline.
func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
