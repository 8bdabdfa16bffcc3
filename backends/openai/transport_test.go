package openai

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
)

// player answers each connection with the same bytes after reading a request, and closes it.
func player(t *testing.T, answer string, asked chan<- []byte) (url string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var wire bytes.Buffer
			r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &wire)))
			if err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
			if asked != nil {
				asked <- wire.Bytes()
			}
		}
	}()
	return "http://" + l.Addr().String()
}

// exchanged is an answer as the client reads it.
type exchanged struct {
	status  string
	code    int
	fields  http.Header
	body    string
	refused bool // there was no answer
	broken  bool // its body was cut, or cannot be read
}

func exchange(t *testing.T, over http.RoundTripper, url string) (e exchanged, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/x?a=b", strings.NewReader(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"plumbline"}, "X-Session-Id": {"s"}}
	response, err := over.RoundTrip(r)
	if err != nil {
		return exchanged{refused: true}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	h := response.Header.Clone()
	for _, name := range []string{"Content-Length", "Transfer-Encoding", "Connection", "Trailer"} {
		h.Del(name) // of the connection's own, which net/http may take out
	}
	return exchanged{
		status: response.Status, code: response.StatusCode, fields: h, body: string(text), broken: err != nil,
	}, err
}

// TestTransportReadsAsNetHTTP compares answers with those that net/http reads.
func TestTransportReadsAsNetHTTP(t *testing.T) {
	for name, answer := range map[string]string{
		"by length":             "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=x\r\nContent-Length: 5\r\n\r\nhello",
		"by chunks":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
		"by chunks and trailer": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n",
		"until it is closed":    "HTTP/1.1 200 OK\r\nServer: s\r\n\r\nhello",
		"HTTP/1.0":              "HTTP/1.0 200 OK\r\n\r\nhello",
		"without a body":        "HTTP/1.1 204 No Content\r\n\r\n",
		"busy":                  "HTTP/1.1 503 Service Unavailable\r\nretry-after: 7\r\nContent-Length: 2\r\n\r\nno",
		"a status of its own":   "HTTP/1.1 429 Slow Down\r\nRETRY-AFTER: 1\r\nContent-Length: 0\r\n\r\n",
		"after 100":             "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"fields twice":          "HTTP/1.1 200 OK\r\nVia: a\r\nVia: b\r\nContent-Length: 0\r\n\r\n",
		"encoded":               "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx",
		"moved":                 "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://x/\r\nContent-Length: 0\r\n\r\n",
		"cut":                   "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
		"cut between chunks":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"no size of a chunk":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n",
		"no HTTP":               "hello there\r\n\r\n",
		"no status":             "HTTP/1.1 OK\r\n\r\n",
		"a cut head":            "HTTP/1.1 200 OK\r\nContent-Le",
		"nothing":               "",
	} {
		t.Run(name, func(t *testing.T) {
			url := player(t, answer, nil)
			got, err := exchange(t, &poolTransport{dial: openaiSettings{}.makeDialer(nil)}, url)
			want, errWant := exchange(t, &http.Transport{DisableCompression: true}, url)
			if !maps.EqualFunc(got.fields, want.fields, func(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
				t.Errorf("fields %v, net/http has %v", got.fields, want.fields)
			}
			got.fields, want.fields = nil, nil
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%+v, %v; net/http: %+v, %v", got, err, want, errWant)
			}
			if errors.Is(err, ErrStream) {
				t.Errorf("%v: want a fault after which another server is asked, as of net/http", err)
			}
		})
	}
}

// TestTransportWritesAsNetHTTP compares the bytes of a request.
func TestTransportWritesAsNetHTTP(t *testing.T) {
	asked := make(chan []byte, 2)
	url := player(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", asked)
	for _, over := range []http.RoundTripper{
		&poolTransport{dial: openaiSettings{}.makeDialer(nil)}, &http.Transport{DisableCompression: true},
	} {
		if _, err := exchange(t, over, url); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := <-asked, <-asked; !bytes.Equal(got, want) {
		t.Errorf("%q, net/http writes %q", got, want)
	}
}

// TestTransportRefusedEarly checks that an answer counts that arrives before a long request was read.
func TestTransportRefusedEarly(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	done := make(chan struct{})
	defer close(done)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		<-done // without reading
	}()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+l.Addr().String()+"/",
		bytes.NewReader(make([]byte, 64<<20)))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&poolTransport{dial: openaiSettings{}.makeDialer(nil)}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(response.Body); string(text) != "no" || err != nil ||
		response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("%s: %q, %v", response.Status, text, err)
	}
	if err := response.Body.Close(); err != nil { // it does not wait for the rest of the request
		t.Error(err)
	}
}

// TestTransportInterrupted checks that the end of a context ends the wait for a head and for a body, with its cause.
func TestTransportInterrupted(t *testing.T) {
	for name, answer := range map[string]string{
		"head": "", "body": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe",
	} {
		t.Run(name, func(t *testing.T) {
			reason := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			done := make(chan struct{})
			defer close(done)
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, answer)
				if answer == "" {
					cancel(reason)
				}
				<-done
			}()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+"/", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := (&poolTransport{dial: openaiSettings{}.makeDialer(nil)}).RoundTrip(r)
			if answer == "" {
				if !errors.Is(err, reason) {
					t.Errorf("error %v, want %v", err, reason)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			cancel(reason)
			if _, err := io.ReadAll(response.Body); err == nil {
				t.Error("the body ended without an error")
			}
		})
	}
}
