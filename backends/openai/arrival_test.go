//go:build unix

package openai_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
)

// times contains the arrival times of token events.
type times struct {
	start time.Time
	at    []int64
	each  func(n int) // behind each
}

func (o *times) Now() int64 { return int64(time.Since(o.start)) }

func (o *times) Event(e *openai.ObservedEvent) {
	if len(e.Text) > 0 {
		if o.at = append(o.at, e.At); o.each != nil {
			o.each(len(o.at))
		}
	}
}

// pieces serves connections: a list of models and, for each request, an answer in several writes. It waits for a signal
// between them.
func pieces(t *testing.T, secure *tls.Config, next <-chan struct{}, answer ...string) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if url = "http://" + l.Addr().String(); secure != nil {
		l, url = tls.NewListener(l, secure), "https://"+l.Addr().String()
	}
	t.Cleanup(func() { _ = l.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		for in := bufio.NewReader(c); ; {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			if r.Method == http.MethodGet {
				list := `{"data":[{"id":"m"}]}`
				_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(list), list)
				continue
			}
			for i, piece := range answer {
				if i > 0 {
					<-next
				}
				_, _ = io.WriteString(c, piece)
			}
			return
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return url
}

// TestArrivals checks that tokens that arrived together have one time, with any number of reads and with TLS, and that
// other tokens have their own times.
func TestArrivals(t *testing.T) {
	token := "data: {\"choices\":[{\"delta\":{\"content\":\" w\"}}],\"id\":\"" + strings.Repeat("x", 200) + "\"}\n\n"
	end := "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS() // for its certificate
	certificate := &tls.Config{Certificates: server.TLS.Certificates, DynamicRecordSizingDisabled: true}
	server.Close()
	for name, secure := range map[string]*tls.Config{"plain": nil, "TLS": certificate} {
		for _, c := range []struct {
			name     string
			pieces   []string
			seen     []int // tokens before the next write
			arrivals int
		}{
			{"one piece", []string{head + strings.Repeat(token, 16) + end}, nil, 1},
			{"the head before", []string{head, strings.Repeat(token, 16) + end}, []int{0}, 1},
			{"two tokens", []string{head + token + token + end}, nil, 1},
			{"the first token before", []string{head + token, strings.Repeat(token, 15) + end}, []int{1}, 2},
			{"two pieces", []string{head + strings.Repeat(token, 8), strings.Repeat(token, 8) + end}, []int{8}, 2},
			{"each alone", []string{head + token, token, token, token + end}, []int{1, 2, 3}, 4},
			{"a token in two pieces", []string{head + token + token[:30], token[30:] + end}, []int{1}, 2},
		} {
			next := make(chan struct{}, len(c.seen))
			client, err := openai.Backend{}.Client(t.Context(), map[string]string{
				"url": pieces(t, secure, next, c.pieces...), "insecure": "true",
			})
			if err != nil {
				t.Fatal(err)
			}
			r, err := client.WriteRequest(openai.ClientCall{API: openai.Chat, Text: "?", MaxTokens: 16})
			if err != nil {
				t.Fatal(err)
			}
			o := &times{start: time.Now()}
			o.each = func(n int) {
				for len(c.seen) > 0 && c.seen[0] <= n {
					c.seen = c.seen[1:]
					next <- struct{}{}
				}
			}
			o.each(0)
			if _, err := client.Ask(t.Context(), r, o); err != nil {
				t.Fatalf("%s, %s: %v", name, c.name, err)
			}
			arrivals := map[int64]bool{}
			for _, at := range o.at {
				arrivals[at] = true
			}
			if len(arrivals) != c.arrivals {
				t.Errorf("%s, %s: %d arrivals of %d events, want %d", name, c.name, len(arrivals), len(o.at), c.arrivals)
			}
			_ = client.Close()
		}
	}
}
