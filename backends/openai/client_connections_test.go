package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

func TestClientIsNotConnected(t *testing.T) {
	s := apart(t, openaitest.New(openaitest.Options{}))
	c := askClient(t, s.URL)
	if err := c.Close(); err != nil { // else a connection that is kept may end under the request
		t.Fatal(err)
	}
	s.Close()
	_, _, err := ask(t, c, completion)
	if f := new(openai.CallFailure); !errors.As(err, &f) || f.Kind != openai.NotConnected {
		t.Errorf("%v, want that there is no connection", err)
	}
}

func TestClientIsInterrupted(t *testing.T) {
	c := askClient(t, serve(t, openaitest.New(openaitest.Options{Fault: func(int64) openaitest.Fault {
		return openaitest.Fault{Stall: true, After: 1}
	}})))
	r, err := c.WriteRequest(completion)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	o := &interrupting{cancel: func() { cancel(cause) }}
	_, err = c.Ask(ctx, r, o)
	if f := new(openai.CallFailure); !errors.As(err, &f) || f.Kind != openai.Interrupted || !errors.Is(err, cause) {
		t.Errorf("%v, want that it was interrupted", err)
	}
}

// interrupting ends the context of a request at its first event.
type interrupting struct {
	recorder
	cancel func()
}

func (i *interrupting) Event(*openai.ObservedEvent) { i.cancel() }

// TestClientSharesServers checks that sessions keep their servers and that requests in progress count.
func TestClientSharesServers(t *testing.T) {
	one, two := openaitest.New(openaitest.Options{}), openaitest.New(openaitest.Options{})
	c := askClient(t, serve(t, one, two))
	for range 10 {
		if _, _, err := ask(t, c, completion); err != nil {
			t.Fatal(err)
		}
	}
	if one.RequestCount() != 5 || two.RequestCount() != 5 {
		t.Errorf("%d and %d requests, want 5 each", one.RequestCount(), two.RequestCount())
	}
	used := map[int]bool{}
	for session := range 20 {
		call := completion
		call.Session = fmt.Sprint(session)
		_, first, err := ask(t, c, call)
		if err != nil {
			t.Fatal(err)
		}
		_, second, err := ask(t, c, call)
		if err != nil || second.Server != first.Server {
			t.Errorf("session %d: servers %d and %d, %v", session, first.Server, second.Server, err)
		}
		used[first.Server] = true
	}
	if len(used) != 2 {
		t.Errorf("20 sessions went to %v", used)
	}
}

// TestClientKeepsConnections checks that consecutive requests use one connection, the one of the list of models.
func TestClientKeepsConnections(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var opened atomic.Int64
		s := httptest.NewUnstartedServer(openaitest.New(openaitest.Options{Owner: "sglang"}))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		var options []string
		if secure {
			s.StartTLS()
			options = append(options, "insecure=true")
			_, err := openClient(s.URL)
			if err == nil || !strings.Contains(err.Error(), "certificate") {
				t.Errorf("a certificate that nobody signed: %v", err)
			}
		} else {
			s.Start()
		}
		t.Cleanup(s.Close)
		opened.Store(0)
		c := askClient(t, s.URL, options...)
		for i := range 6 {
			call := completion
			call.Whole = i%2 == 1
			if _, _, err := ask(t, c, call); err != nil {
				t.Fatal(err)
			}
		}
		if n := opened.Load(); n != 1 {
			t.Errorf("TLS %v: %d connections, want 1", secure, n)
		}
	}
}

// TestKeptConnections checks that a request is sent again if the server closes an idle connection during the request,
// and that closing a new connection truncates the answer.
func TestKeptConnections(t *testing.T) {
	for _, c := range []struct {
		name     string
		answered int // requests of each connection
		ok       bool
	}{{"kept", 1, true}, {"new", 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			asked := map[string]int{}
			mock := openaitest.New(openaitest.Options{Owner: "vllm", IDs: true})
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					mock.ServeHTTP(w, r)
					return
				}
				mu.Lock()
				asked[r.RemoteAddr]++
				n := asked[r.RemoteAddr]
				mu.Unlock()
				if n <= c.answered {
					mock.ServeHTTP(w, r)
					return
				}
				conn, _, err := http.NewResponseController(w).Hijack()
				if err == nil {
					err = conn.Close()
				}
				if err != nil {
					t.Error(err)
				}
			}))
			client := askClient(t, url)
			for i := range 5 {
				_, response, err := ask(t, client, completion)
				f := new(openai.CallFailure)
				isCut := errors.As(err, &f) && f.Kind == openai.CutOff && strings.Contains(f.Error(), "before an answer began")
				if c.ok && (err != nil || response.Usage.Completion != 5) || !c.ok && !isCut {
					t.Errorf("request %d: %+v, %v", i, response, err)
				}
			}
			if c.ok && len(asked) != 5 {
				t.Errorf("%d connections, want one for each request", len(asked))
			}
		})
	}
}
