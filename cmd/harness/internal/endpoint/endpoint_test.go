package endpoint

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"9464": "127.0.0.1:9464", ":9464": "127.0.0.1:9464", "0": "127.0.0.1:0", "0.0.0.0:9464": "0.0.0.0:9464",
		"[::1]:80": "[::1]:80", "localhost:1": "localhost:1", "[::]:1": "[::]:1",
	} {
		if got, err := Address(text); err != nil || got != want {
			t.Errorf("Address(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", ":65536", "-1", "1:2:3",
		"http://localhost:9464"} {
		if got, err := Address(text); err == nil || !strings.Contains(err.Error(), "no address") {
			t.Errorf("Address(%q) = %q, %v", text, got, err)
		}
	}
}

func FuzzAddress(f *testing.F) {
	f.Add("9464")
	f.Add("[::1]:80")
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := Address(text); err == nil {
			if again, err := Address(a); err != nil || again != a {
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
	if s.Open() {
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

func TestCloseWithoutServe(t *testing.T) { listen(t).Close(t.Context()) }
