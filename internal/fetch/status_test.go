package fetch

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

func handle(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestGetByStatus(t *testing.T) {
	cases := []struct {
		status int
		after  string
		waits  []time.Duration
	}{
		{http.StatusNotFound, "", nil},
		{http.StatusForbidden, "", nil},
		{http.StatusGone, "", nil},
		{http.StatusNotImplemented, "", nil},
		{http.StatusPartialContent, "", nil}, // not asked for
		{http.StatusServiceUnavailable, "", []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second}},
		{http.StatusTooManyRequests, "7", []time.Duration{7 * time.Second, 7 * time.Second, 7 * time.Second}},
		{http.StatusTooManyRequests, "99999999999", []time.Duration{2 * time.Minute, 2 * time.Minute, 2 * time.Minute}},
		{http.StatusBadGateway, "-1", []time.Duration{1 * time.Second, 2 * time.Second, 4 * time.Second}},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.status, " ", c.after), func(t *testing.T) {
			url := handle(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", c.after)
				w.WriteHeader(c.status)
			})
			var slept waits
			_, err := open(t, t.TempDir(), Options{Attempts: 4, Sleep: slept.sleep}).Get(t.Context(), File{Name: "m", URL: url})
			wantKind(t, err, ErrServer, url, fmt.Sprint(c.status))
			if !slices.Equal(slept.list, c.waits) {
				t.Errorf("waited %v, want %v", slept.list, c.waits)
			}
		})
	}
}

func TestWaitsAreBounded(t *testing.T) {
	for n := range 200 {
		if w := (transientError{}).waitAfter(n); w <= 0 || w > maxWait {
			t.Fatalf("wait after attempt %d is %v", n, w)
		}
	}
}

func TestGetRefusesWebPages(t *testing.T) {
	url := handle(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>Please log in</html>")
	})
	_, err := open(t, t.TempDir(), Options{}).Get(t.Context(), File{Name: "model.onnx", URL: url})
	wantKind(t, err, ErrServer, "web page", "model.onnx")
	if _, err := open(t, t.TempDir(), Options{}).Get(t.Context(), File{Name: "page.html", URL: url}); err != nil {
		t.Errorf("a web page that is asked for: %v", err)
	}
}

func TestGetFollowsRedirects(t *testing.T) {
	data := bytesOf(fileSize, 0)
	o := serve(t, data)
	o.cuts = []int{1000}
	hop := handle(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, o.URL, http.StatusFound) })
	item, err := open(t, t.TempDir(), Options{}).Get(t.Context(), File{Name: "m", URL: hop, SHA256: sumOf(data)})
	wantFile(t, item, err, data)
	checkRequests(t, o.seen(), []string{"", "bytes=1000-"}, []string{"", `"one"`})
}

func TestGetRefusesRedirects(t *testing.T) {
	cases := map[string]string{
		"in a circle":     "/",
		"to a local file": "file:///etc/passwd",
		"to ftp":          "ftp://example.com/m",
	}
	for name, to := range cases {
		t.Run(name, func(t *testing.T) {
			requests := 0
			url := handle(t, func(w http.ResponseWriter, r *http.Request) {
				requests++
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusFound)
			})
			var slept waits
			_, err := open(t, t.TempDir(), Options{Sleep: slept.sleep}).Get(t.Context(), File{Name: "m", URL: url})
			wantKind(t, err, ErrServer, "refused redirect")
			if requests > maxRedirects+1 || len(slept.list) != 0 {
				t.Errorf("%d requests, waits %v; want no more than one chain", requests, slept.list)
			}
		})
	}
}

func TestRedirectsDoNotLeaveHTTPS(t *testing.T) {
	request := func(url string) *http.Request { return httptest.NewRequest(http.MethodGet, url, nil) }
	if err := checkRedirect(request("http://b/"), []*http.Request{request("https://a/")}); !errors.Is(err, errRedirect) {
		t.Errorf("https to http: %v, want %v", err, errRedirect)
	}
	if err := checkRedirect(request("https://b/"), []*http.Request{request("http://a/")}); err != nil {
		t.Errorf("http to https: %v", err)
	}
}
