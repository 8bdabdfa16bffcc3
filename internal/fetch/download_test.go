package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const fileSize = 300_000

func wantFile(t *testing.T, item CachedFile, err error, data []byte) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(item.Path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, data) || item.SHA256 != sumOf(data) || item.Size != int64(len(data)) {
		t.Errorf("%d bytes with sha256 %s in %+v, want %d with %s", len(got), sumOf(got), item, len(data), sumOf(data))
	}
}

func wantKind(t *testing.T, err, kind error, parts ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want %v", err, kind)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want it to hold %q", err, p)
		}
	}
}

// wantClean fails if a download left more in the cache than the file, its receipt and its lock.
func wantClean(t *testing.T, c *Cache) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(c.dir, stateDir), func(path string, d os.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && !d.IsDir() && ext != ".receipt" && ext != ".lock" {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestGet(t *testing.T) {
	data := bytesOf(fileSize, 0)
	o := serve(t, data)
	var progress []Progress
	c := open(t, t.TempDir(), Options{Progress: func(p Progress) { progress = append(progress, p) }})
	f := File{Name: "vision/model.onnx", URL: o.URL, SHA256: sumOf(data), Size: fileSize}
	item, err := c.Get(t.Context(), f)
	wantFile(t, item, err, data)
	if !item.Verified || item.Warning() != "" || item.Path != c.Path(f) {
		t.Errorf("%+v, want a verified file at %s", item, c.Path(f))
	}
	checkProgress(t, progress)
	again, err := c.Get(t.Context(), f)
	if err != nil || again != item || len(o.seen()) != 1 {
		t.Errorf("second Get: %+v, %v, %d requests; want %+v without another request", again, err, len(o.seen()), item)
	}
	wantClean(t, c)
}

// checkProgress holds each phase to counting up to its total.
func checkProgress(t *testing.T, progress []Progress) {
	t.Helper()
	last := map[Phase]int64{}
	for _, p := range progress {
		if p.Done < last[p.Phase] || p.Total != fileSize || p.Name != "vision/model.onnx" {
			t.Errorf("%+v after %d bytes", p, last[p.Phase])
		}
		last[p.Phase] = p.Done
	}
	if last[Downloading] != fileSize || last[Verifying] != fileSize {
		t.Errorf("progress ends at %v, want %d bytes downloaded and verified", last, fileSize)
	}
}

func TestGetUnverified(t *testing.T) {
	data := bytesOf(100, 0)
	item, err := open(t, t.TempDir(), Options{}).Get(t.Context(), File{Name: "m", URL: serve(t, data).URL})
	wantFile(t, item, err, data)
	if item.Verified || !strings.Contains(item.Warning(), "unverified") || !strings.Contains(item.Warning(), sumOf(data)) {
		t.Errorf("%+v, warning %q; want it unverified, with the sha256 measured", item, item.Warning())
	}
}

// TestGetOverBadConnections covers origins that in the end give the whole file.
func TestGetOverBadConnections(t *testing.T) {
	data := bytesOf(fileSize, 0)
	cases := []struct {
		name     string
		bad      func(o *origin)
		noSum    bool
		ranges   []string // of the requests
		ifRanges []string
	}{
		{"cut twice", func(o *origin) { o.cuts = []int{100_000, 50_000} }, false,
			[]string{"", "bytes=100000-", "bytes=150000-"}, []string{"", `"one"`, `"one"`}},
		{"cut, no sha256", func(o *origin) { o.cuts = []int{100_000} }, true, []string{"", "bytes=100000-"},
			[]string{"", `"one"`}},
		{"cut, Range ignored", func(o *origin) { o.cuts, o.noRange = []int{100_000}, true }, false,
			[]string{"", "bytes=100000-"}, []string{"", `"one"`}},
		{"cut, weak ETag and no sha256", func(o *origin) { o.cuts, o.etag = []int{100_000}, `W/"one"` }, true,
			[]string{"", ""}, []string{"", ""}},
		{"cut, no ETag but a sha256", func(o *origin) { o.cuts, o.etag = []int{100_000}, "" }, false,
			[]string{"", "bytes=100000-"}, []string{"", ""}},
		{"cut before the first byte", func(o *origin) { o.cuts = []int{0} }, false, []string{"", ""}, []string{"", ""}},
		{"chunks cut", func(o *origin) { o.cuts, o.chunked = []int{100_000}, true }, false,
			[]string{"", "bytes=100000-"}, []string{"", `"one"`}},
		{"cut at the very end", func(o *origin) { o.cuts, o.chunked = []int{fileSize}, true }, false,
			[]string{"", "bytes=300000-", ""}, []string{"", `"one"`, ""}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := serve(t, data)
			c.bad(o)
			f := File{Name: "m", URL: o.URL, SHA256: sumOf(data)}
			if c.noSum {
				f.SHA256 = ""
			}
			cache := open(t, t.TempDir(), Options{})
			item, err := cache.Get(t.Context(), f)
			wantFile(t, item, err, data)
			checkRequests(t, o.seen(), c.ranges, c.ifRanges)
			wantClean(t, cache)
		})
	}
}

func checkRequests(t *testing.T, got []http.Header, ranges, ifRanges []string) {
	t.Helper()
	var r, i []string
	for _, h := range got {
		r, i = append(r, h.Get("Range")), append(i, h.Get("If-Range"))
	}
	if !slices.Equal(r, ranges) || !slices.Equal(i, ifRanges) {
		t.Errorf("asked for ranges %q if %q, want %q if %q", r, i, ranges, ifRanges)
	}
}

// TestGetOfChangingFile covers files that change on the server between two attempts.
func TestGetOfChangingFile(t *testing.T) {
	before, after := bytesOf(fileSize, 0), bytesOf(fileSize-1000, 1)
	sameSize := bytesOf(fileSize, 1)
	cases := []struct {
		name  string
		after []byte
		noIf  bool   // the server sends a part all the same
		etag  string // of the new contents
		sum   bool
	}{
		{"the server heeds If-Range", after, false, `"two"`, false},
		{"the server sends the wrong part", after, true, `"two"`, false},
		{"the ETag stays, the size does not", after, true, `"one"`, false},
		{"nothing tells but the sha256", sameSize, true, `"one"`, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := serve(t, before)
			o.cuts, o.noIf = []int{100_000}, c.noIf
			f := File{Name: "m", URL: o.URL}
			if c.sum {
				f.SHA256 = sumOf(c.after)
			}
			change := func(ctx context.Context, _ time.Duration) error {
				o.set(func() { o.data, o.etag = c.after, c.etag })
				return nil
			}
			cache := open(t, t.TempDir(), Options{Sleep: change})
			item, err := cache.Get(t.Context(), f)
			wantFile(t, item, err, c.after)
			wantClean(t, cache)
		})
	}
}

func TestGetGoesOnInAnotherProcess(t *testing.T) {
	data := bytesOf(fileSize, 0)
	o := serve(t, data)
	o.cuts = []int{100_000}
	dir := t.TempDir()
	f := File{Name: "m", URL: o.URL, SHA256: sumOf(data)}
	_, err := open(t, dir, Options{Attempts: 1}).Get(t.Context(), f)
	wantKind(t, err, ErrServer, o.URL, "attempt 1 of 1")
	if _, err := open(t, dir, Options{}).Locate(t.Context(), f); !errors.Is(err, ErrMissing) {
		t.Errorf("half a file is located: %v", err)
	}
	item, err := open(t, dir, Options{Attempts: 1}).Get(t.Context(), f)
	wantFile(t, item, err, data)
	checkRequests(t, o.seen(), []string{"", "bytes=100000-"}, []string{"", `"one"`})
}

// TestGetAfterCrash: the download was complete, the process ended before the file had its name.
func TestGetAfterCrash(t *testing.T) {
	data := bytesOf(fileSize, 0)
	o := serve(t, data)
	c := open(t, t.TempDir(), Options{})
	f := File{Name: "m", URL: o.URL}
	if _, _, err := c.downloadPart(t.Context(), mkState(t, c, f)); err != nil {
		t.Fatal(err)
	}
	item, err := c.Get(t.Context(), f)
	wantFile(t, item, err, data)
	if n := len(o.seen()); n != 1 {
		t.Errorf("%d requests, want the 1 before the crash", n)
	}
}

func mkState(t *testing.T, c *Cache, f File) File {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(c.dir, stateDir), 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGetRefuses(t *testing.T) {
	data := bytesOf(fileSize, 0)
	other := sumOf(nil)
	cases := []struct {
		name     string
		bad      func(o *origin)
		file     File
		kind     error
		requests int
	}{
		{"another sha256", nil, File{SHA256: other}, ErrChecksum, 1},
		{"another sha256, in two pieces", func(o *origin) { o.cuts = []int{1000} }, File{SHA256: other}, ErrChecksum, 3},
		{"longer than its size", nil, File{Size: fileSize - 1}, ErrChecksum, 1},
		{"shorter than its size", nil, File{Size: fileSize + 1}, ErrChecksum, 1},
		{"longer, length not told", func(o *origin) { o.chunked = true }, File{Size: fileSize - 1}, ErrChecksum, 1},
		{"shorter, length not told", func(o *origin) { o.chunked = true }, File{Size: fileSize + 1}, ErrChecksum, 1},
		{"no bytes", func(o *origin) { o.data = nil }, File{}, ErrChecksum, 1},
		{"always cut", func(o *origin) { o.cuts = []int{1, 1, 1, 1} }, File{SHA256: sumOf(data)}, ErrServer, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := serve(t, data)
			if c.bad != nil {
				c.bad(o)
			}
			f := c.file
			f.Name, f.URL = "m", o.URL
			cache := open(t, t.TempDir(), Options{Attempts: 3})
			_, err := cache.Get(t.Context(), f)
			wantKind(t, err, c.kind, o.URL)
			if n := len(o.seen()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if _, err := os.Stat(cache.Path(f)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the bad file has its name: %v", err)
			}
		})
	}
}

func TestGetKeepsToTheDownloadLimit(t *testing.T) {
	for _, chunked := range []bool{true, false} {
		o := serve(t, bytesOf(fileSize, 0))
		o.chunked = chunked // its length is not told
		c := open(t, t.TempDir(), Options{Limits: Limits{Download: 1000}})
		_, err := c.Get(t.Context(), File{Name: "m", URL: o.URL})
		wantKind(t, err, ErrChecksum, "1000")
		if info, err := os.Stat(c.cachePaths(File{Name: "m"}).part); err == nil && (!chunked || info.Size() > 0) {
			t.Errorf("%d bytes are kept of what is too long", info.Size())
		}
	}
}

// TestGetReplacesWhatIsNoFile: a link or a folder under the name of a part is not written to, and not waited for.
func TestGetReplacesWhatIsNoFile(t *testing.T) {
	data := bytesOf(fileSize, 0)
	for name, put := range odd() {
		t.Run(name, func(t *testing.T) {
			o, c := serve(t, data), open(t, t.TempDir(), Options{})
			f := mkState(t, c, File{Name: "m", URL: o.URL})
			if err := put(c.cachePaths(f).part); err != nil {
				t.Skip(err)
			}
			item, err := c.Get(t.Context(), f)
			wantFile(t, item, err, data)
			wantClean(t, c)
		})
	}
}

// stalling is the way to an origin on which the body of the first response stops after a while, for ever.
type stalling struct {
	origin *origin
	after  int64 // bytes
	seen   bool
}

func (s *stalling) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.origin.ServeHTTP(w, r)
	resp := w.Result()
	if !s.seen {
		s.seen = true
		resp.Body = io.NopCloser(io.MultiReader(io.LimitReader(resp.Body, s.after), readerFunc(func([]byte) (int, error) {
			<-r.Context().Done()
			return 0, r.Context().Err()
		})))
	}
	return resp, nil
}

func TestGetLeavesAStalledConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := bytesOf(fileSize, 0)
		o := &origin{data: data, etag: `"one"`}
		c := open(t, t.TempDir(), Options{StallTimeout: time.Hour})
		c.client.Transport = &stalling{origin: o, after: 1000}
		start := time.Now()
		item, err := c.Get(t.Context(), File{Name: "m", URL: "http://example.com/m"})
		wantFile(t, item, err, data)
		checkRequests(t, o.seen(), []string{"", "bytes=1000-"}, []string{"", `"one"`})
		if waited := time.Since(start); waited != time.Hour {
			t.Errorf("waited %v for the next byte, want an hour", waited)
		}
	})
}

func TestGetEndsWithItsContext(t *testing.T) {
	data := bytesOf(fileSize, 0)
	o := serve(t, data)
	o.cuts = []int{1000, 1000, 1000}
	stop := errors.New("the user had enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := open(t, t.TempDir(), Options{Progress: func(p Progress) {
		if p.Phase == Downloading {
			cancel(stop)
		}
	}})
	f := File{Name: "m", URL: o.URL, SHA256: sumOf(data)}
	_, err := c.Get(ctx, f)
	wantKind(t, err, stop)
	if n := len(o.seen()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	item, err := c.Get(t.Context(), f)
	wantFile(t, item, err, data)
}

func TestGetOnceForAll(t *testing.T) {
	data := bytesOf(fileSize, 0)
	o := serve(t, data)
	dir := t.TempDir()
	f := File{Name: "m", URL: o.URL, SHA256: sumOf(data)}
	yield := func(ctx context.Context, _ time.Duration) error { time.Sleep(time.Millisecond); return nil }
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c, err := Open(dir, Options{Sleep: yield})
			if err != nil {
				t.Error(err)
				return
			}
			if item, err := c.Get(t.Context(), f); err != nil || !item.Verified {
				t.Errorf("%+v, %v", item, err)
			}
		})
	}
	all.Wait()
	if n := len(o.seen()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestGetWithoutServer(t *testing.T) {
	const nobody = "http://127.0.0.1:1" // no server gets this port by chance
	var slept waits
	_, err := open(t, t.TempDir(), Options{Attempts: 2, Sleep: slept.sleep}).Get(t.Context(), File{Name: "m", URL: nobody})
	wantKind(t, err, ErrServer, nobody, "attempt 2 of 2")
	if len(slept.list) != 1 {
		t.Errorf("waited %v, want once", slept.list)
	}
}
