package openai

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// wire is a connection that records the calls of a reader.
type wire struct {
	net.Conn
	from io.Reader
}

func (w wire) Read(p []byte) (int, error) { return w.from.Read(p) }

func (wire) SetDeadline(time.Time) error { return nil }

func lineOf(r io.Reader) *httpConn { return &httpConn{Conn: wire{from: r}, buffer: make([]byte, 16)} }

func TestLineReads(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		code         int
		kind, body   string
		reusable     bool
		err          error
	}{
		{"a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\n\r\n" +
			"hello", 200, "Text/Event-Stream", "hello", true, nil},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" +
			"2;x=y\r\nhe\r\n1\r\nl\r\nA \r\nlo01234567\r\n0\r\n\r\n",
			200, "", "hello01234567", true, nil},
		{"trailers", "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\nA: b\r\nC: d\r\n\r\n", 200, "", "he",
			true, nil},
		{"lines without returns", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhe\n0\n\n", 200, "", "he", true, nil},
		{"its end", "HTTP/1.1 200 OK\r\n\r\nhello", 200, "", "hello", false, nil},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "", "hello", false, nil},
		{"a server that will close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", 200, "",
			"hello", false, nil},
		{"nothing", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, "", "", true, nil},
		{"an early hint", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", 200, "",
			"a", true, nil},
		{"more than the answer", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", 200, "", "a", false, nil},
		{"the end within a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", 200, "", "hel", false,
			io.ErrUnexpectedEOF},
		{"the end within a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", 200, "", "hel", false,
			io.ErrUnexpectedEOF},
		{"the end between chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", 200, "", "hel", false,
			io.ErrUnexpectedEOF},
		{"no size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 200, "", "", false, ErrStream},
		{"no end of a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 200, "", "a", false,
			ErrStream},
		{"the end within the head", "HTTP/1.1 200 OK\r\nContent-Le", 0, "", "", false, io.ErrUnexpectedEOF},
		{"no HTTP", "SSH-2.0-x\r\n\r\n", 0, "", "", false, ErrStream},
		{"another encoding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", 0, "", "", false, ErrStream},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 0, "", "", false, ErrStream},
		{"a long head", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", maxHeadBytes+16) + "\r\n\r\n", 0, "", "", false,
			ErrStream},
	} {
		for how, reader := range map[string]io.Reader{
			"whole": strings.NewReader(c.answer), "by bytes": iotest.OneByteReader(strings.NewReader(c.answer)),
			"an end with data": iotest.DataErrReader(strings.NewReader(c.answer)),
		} {
			l := lineOf(reader)
			h, err := l.readHead()
			kind := string(h.kind)
			var body []byte
			if err == nil {
				body, err = io.ReadAll(l)
			}
			if !errors.Is(err, c.err) || c.err == nil && err != nil || string(body) != c.body {
				t.Errorf("%s, %s: %q, %v; want %q, %v", c.name, how, body, err, c.body, c.err)
			}
			if c.code != 0 && (h.code != c.code || kind != c.kind) {
				t.Errorf("%s, %s: %+v, %q", c.name, how, h, kind)
			}
			// What is behind an answer may not have come yet.
			if err == nil && l.isReusable() != c.reusable && c.name != "more than the answer" {
				t.Errorf("%s, %s: reusable %v", c.name, how, l.isReusable())
			}
		}
	}
}

// FuzzLine compares answers with net/http if both can read them, and checks that the result does not depend on how they
// are split.
func FuzzLine(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 500 no\r\n\r\nx"))
	f.Add([]byte("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5;a=\"b\"\nhello\n0\nA: b\n\n"))
	read := func(r io.Reader) (h responseHead, body []byte, err error) {
		l := lineOf(r)
		if h, err = l.readHead(); err == nil {
			h.kind = nil
			body, err = io.ReadAll(io.LimitReader(l, 1<<20))
		}
		return h, body, err
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, body, err := read(bytes.NewReader(data))
		h2, body2, err2 := read(iotest.OneByteReader(bytes.NewReader(data)))
		if (err == nil) != (err2 == nil) || err == nil && (h.code != h2.code || !bytes.Equal(body, body2)) {
			t.Fatalf("%q: %+v %q %v, by bytes %+v %q %v", data, h, body, err, h2, body2, err2)
		}
		response, errHTTP := http.ReadResponse(bufio.NewReader(bytes.NewReader(data)), nil)
		if err != nil || errHTTP != nil || response.StatusCode < 200 {
			return
		}
		defer response.Body.Close()
		want, errHTTP := io.ReadAll(response.Body)
		if errHTTP == nil && (h.code != response.StatusCode || !bytes.Equal(body, want)) {
			t.Fatalf("%q: %d %q, net/http reads %d %q", data, h.code, body, response.StatusCode, want)
		}
	})
}

func TestLinesAreUsedAgain(t *testing.T) {
	for _, secure := range []bool{false, true} {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		opened := 0
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened++
			}
		}
		config := &tls.Config{}
		if secure {
			s.StartTLS()
			config = s.Client().Transport.(*http.Transport).TLSClientConfig
		} else {
			s.Start()
		}
		base, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		l := newConnPool(base.URL, config, openaiSettings{}.makeDialer(nil), time.Minute)
		for range 3 {
			c, err := l.getConn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			h, err := c.readHead()
			if _, errBody := io.ReadAll(c); err != nil || errBody != nil || h.code != 404 || !c.isReusable() {
				t.Fatalf("%+v, %v, %v", h, err, errBody)
			}
			l.putConn(c)
		}
		if opened != 1 {
			t.Errorf("TLS %v: %d connections, want 1", secure, opened)
		}
		c := l.takeIdle()
		l.putConn(c)
		s.CloseClientConnections()
		for c.alive() { // until the kernel has told
			time.Sleep(time.Millisecond)
		}
		fresh, err := l.getConn(t.Context())
		if err != nil || fresh == c {
			t.Errorf("TLS %v: a connection that is closed is used: %v", secure, err)
		}
		if err == nil {
			l.putConn(fresh)
		}
		l.close()
		s.Close()
	}
}

func TestLinesThatWaitedLongAreClosed(t *testing.T) {
	l := &connPool{maxIdle: maxIdleTime}
	old, young := lineOf(nil), lineOf(nil)
	closed := false
	old.Conn = closing{&closed}
	l.putConn(old)
	old.lastUsed = old.lastUsed.Add(-2 * maxIdleTime)
	l.putConn(young)
	if !closed || len(l.unused) != 1 || l.unused[0] != young {
		t.Errorf("closed %v, %d left", closed, len(l.unused))
	}
}

type closing struct{ *bool }

func (c closing) Close() error                     { *c.bool = true; return nil }
func (closing) Read([]byte) (int, error)           { return 0, io.EOF }
func (closing) Write([]byte) (int, error)          { return 0, io.EOF }
func (closing) LocalAddr() net.Addr                { return nil }
func (closing) RemoteAddr() net.Addr               { return nil }
func (closing) SetDeadline(time.Time) error        { return nil }
func (closing) SetReadDeadline(t time.Time) error  { return nil }
func (closing) SetWriteDeadline(t time.Time) error { return nil }
