package endpoint

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"9464": "127.0.0.1:9464", ":9464": "127.0.0.1:9464", "0": "127.0.0.1:0", "0.0.0.0:9464": "0.0.0.0:9464",
		"[::1]:80": "[::1]:80", "localhost:1": "localhost:1", "[::]:1": "[::]:1",
	} {
		if got, err := ParseAddress(text); err != nil || got != want {
			t.Errorf("Address(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", ":65536", "-1", "1:2:3",
		"http://localhost:9464"} {
		if got, err := ParseAddress(text); err == nil || !strings.Contains(err.Error(), "no address") {
			t.Errorf("Address(%q) = %q, %v", text, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("9464")
	f.Add("[::1]:80")
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := ParseAddress(text); err == nil {
			if again, err := ParseAddress(a); err != nil || again != a {
				t.Errorf("%q becomes %q, and that %q: %v", text, a, again, err)
			}
		}
	})
}

func listen(t *testing.T) *Server {
	t.Helper()
	s, err := Listen("0")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAddressInUse(t *testing.T) {
	s := listen(t)
	defer s.Close(t.Context())
	if _, err := Listen(s.Address()); err == nil || !strings.Contains(err.Error(), "in use by another program") {
		t.Errorf("error %v", err)
	}
	if s.IsPublic() {
		t.Errorf("%s is no loopback address", s.Address())
	}
}

func TestAnotherMachinesAddress(t *testing.T) {
	if _, err := Listen("192.0.2.1:0"); err == nil || !strings.Contains(err.Error(), "cannot be listened at") {
		t.Errorf("error %v", err)
	}
}

// TestOtherNamesAreRefused: a page from elsewhere that gave this machine a name of its own learns nothing.
func TestOtherNamesAreRefused(t *testing.T) {
	s := listen(t)
	s.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer s.Close(t.Context())
	for host, want := range map[string]int{
		"localhost": 204, "localhost:1": 204, "127.0.0.1:80": 204, "[::1]:80": 204, "[::1]": 204,
		"evil.example": 403, "evil.example:80": 403, "10.0.0.1": 403,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address(), http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("host %q: %d, want %d", host, got.StatusCode, want)
		}
	}
}

// TestCloseEndsRequests that do not end by themselves.
func TestCloseEndsRequests(t *testing.T) {
	s, begun := listen(t), make(chan struct{})
	s.Serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}))
	failed := make(chan error, 1)
	go func() {
		r, err := http.Get("http://" + s.Address())
		if err == nil {
			r.Body.Close()
		}
		failed <- err
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	s.Close(ctx)
	if err := <-failed; err == nil {
		t.Error("the request was answered")
	}
	if _, err := http.Get("http://" + s.Address()); err == nil {
		t.Error("it serves after Close")
	}
}

// pipes is a listener whose connections are in memory, and on a test's clock.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// TestClientThatNeverReads is left after a while.
func TestClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := make(pipes)
		s := &Server{listener: listener, done: make(chan struct{})}
		failed := make(chan error, 1)
		s.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
			failed <- err
		}))
		defer s.Close(t.Context())
		client, server := net.Pipe()
		defer client.Close()
		listener <- server
		began := time.Now()
		if _, err := io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != maxAnswerTime {
			t.Errorf("%v after %v, want it to be left after %v", err, time.Since(began), maxAnswerTime)
		}
	})
}

// TestCrowd opens more connections than there may be, which ask for nothing, for half of an answer, or take none: the
// server keeps as many as it may, and answers who comes after.
func TestCrowd(t *testing.T) {
	s, ends := listen(t), make(chan struct{})
	s.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			select {
			case <-ends:
			case <-r.Context().Done():
			}
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close(t.Context())
	defer close(ends)
	asked := [3]string{"", "GET / HT", "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"}
	for i := range 3 * maxConnections {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = io.WriteString(c, asked[i%3]) // it may be left already
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for range 3 {
		r, err := client.Get("http://" + s.Address())
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	s.limiter.mu.Lock()
	defer s.limiter.mu.Unlock()
	if n := len(s.limiter.conns); n > maxConnections || s.limiter.arrivals < 3*maxConnections {
		t.Errorf("%d connections are open, of %d", n, s.limiter.arrivals)
	}
}

// TestWhoHasToGo: of those that wait the oldest, and of those that are answered one only if none waits.
func TestWhoHasToGo(t *testing.T) {
	var c connLimiter
	conns := make([]net.Conn, 3)
	for i := range conns {
		conns[i], _ = net.Pipe()
		c.connStateChanged(conns[i], http.StateNew)
	}
	c.connStateChanged(conns[0], http.StateActive)
	if c.oldestConn() != conns[1] {
		t.Error("not the oldest that waits")
	}
	c.connStateChanged(conns[1], http.StateActive)
	c.connStateChanged(conns[2], http.StateActive)
	if c.oldestConn() != conns[0] {
		t.Error("not the oldest of all")
	}
	c.connStateChanged(conns[0], http.StateIdle)
	c.connStateChanged(conns[2], http.StateClosed)
	if c.oldestConn() != conns[0] || len(c.conns) != 2 {
		t.Error("not the one that waits again")
	}
}

func TestCloseWithoutServe(t *testing.T) { listen(t).Close(t.Context()) }
