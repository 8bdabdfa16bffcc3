package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// origin serves one file, as badly as a test asks for.
type origin struct {
	*httptest.Server
	mu       sync.Mutex
	data     []byte
	etag     string
	cuts     []int // for each request in turn: bytes of the body before the connection is cut; -1: whole
	noRange  bool  // Range is ignored
	noIf     bool  // If-Range is ignored
	chunked  bool  // no Content-Length
	requests []http.Header
}

func serve(t *testing.T, data []byte) *origin {
	o := &origin{data: data, etag: `"one"`}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

// set changes the origin between requests.
func (o *origin) set(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

func (o *origin) seen() []http.Header {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.requests)
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r.Header.Clone())
	start, status := o.start(r), http.StatusOK
	if start >= len(o.data) && start > 0 {
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return
	}
	if start >= 0 {
		status = http.StatusPartialContent
		w.Header().Set("Content-Range", "bytes "+strconv.Itoa(start)+"-"+strconv.Itoa(len(o.data)-1)+"/"+
			strconv.Itoa(len(o.data)))
	}
	body := o.data[max(start, 0):]
	if o.etag != "" {
		w.Header().Set("ETag", o.etag)
	}
	if !o.chunked {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	cut := -1
	if len(o.cuts) > 0 {
		cut, o.cuts = o.cuts[0], o.cuts[1:]
	}
	if cut < 0 {
		_, _ = w.Write(body)
		return
	}
	_, _ = w.Write(body[:min(cut, len(body))])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// start is the offset that the request asks for and gets, -1 for the whole file.
func (o *origin) start(r *http.Request) int {
	var start int
	text, ok := cutBoth(r.Header.Get("Range"), "bytes=", "-")
	if !ok || o.noRange || r.Header.Get("If-Range") != o.etag && !o.noIf && r.Header.Get("If-Range") != "" {
		return -1
	}
	start, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return start
}

func cutBoth(s, prefix, suffix string) (string, bool) {
	if len(s) < len(prefix)+len(suffix) || s[:len(prefix)] != prefix || s[len(s)-len(suffix):] != suffix {
		return "", false
	}
	return s[len(prefix) : len(s)-len(suffix)], true
}

// waits records the sleeps of a cache, and takes no time.
type waits struct {
	mu   sync.Mutex
	list []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, d)
	return context.Cause(ctx)
}

func open(t *testing.T, dir string, o Options) *Cache {
	t.Helper()
	if o.Sleep == nil {
		o.Sleep = new(waits).sleep
	}
	c, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// bytesOf returns n bytes that differ by seed.
func bytesOf(n int, seed byte) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7+i>>8) + seed
	}
	return data
}
