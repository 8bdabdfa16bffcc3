package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// Options say how to download. The zero value is a sensible one.
type Options struct {
	// Offline refuses downloads.
	Offline bool
	// Proxy chooses a proxy for a request, as http.ProxyFromEnvironment does; nil: none.
	Proxy func(*http.Request) (*url.URL, error)
	// Attempts is how often a download is tried in one Get, resumed each time; 0: 6.
	Attempts int
	// StallTimeout ends an attempt in which nothing arrives for so long; 0: 60 s.
	StallTimeout time.Duration
	// Sleep waits between attempts and for other processes; nil: on the clock. It returns early when ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// Progress, if not nil, is called from the goroutine of Get, often: it must return quickly.
	Progress func(Progress)
	// Limits bound what an archive may unpack to.
	Limits Limits
}

// Item is a file in the cache.
type Item struct {
	Path     string // the file, or the folder of an unpacked archive
	SHA256   string // of the file or archive as downloaded, measured; empty for a folder placed by hand
	Size     int64  // of the same, in bytes; 0 for a folder placed by hand
	Verified bool   // SHA256 is the one that the File asks for
	Placed   bool   // put there by hand, not by Get
}

// Warning says what is doubtful about the item, or "".
func (i Item) Warning() string {
	switch {
	case i.Verified:
		return ""
	case i.SHA256 == "":
		return fmt.Sprintf("%s is unverified: a folder placed by hand has no sha256", i.Path)
	}
	return fmt.Sprintf("%s is unverified: no sha256 is known for it; what came has %s", i.Path, i.SHA256)
}

// Cache is a folder of downloads. It is safe for concurrent use, also by several processes.
type Cache struct {
	dir     string
	options Options
	client  *http.Client
}

// Open returns the cache in dir, which is created when something is first put there.
func Open(dir string, o Options) (*Cache, error) {
	if dir == "" {
		return nil, errors.New("fetch: no cache folder given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	o.Attempts = cmp.Or(max(o.Attempts, 0), 6)
	o.StallTimeout = cmp.Or(max(o.StallTimeout, 0), time.Minute)
	if o.Sleep == nil {
		o.Sleep = sleepContext
	}
	o.Limits = o.Limits.withDefaults()
	return &Cache{dir, o, newClient(o)}, nil
}

// Path is where f is, or would be, in the cache.
func (c *Cache) Path(f File) string { return c.pathsOf(f).final }

// Get returns f from the cache, downloading it first where it is missing or of an older version. On failure what was
// downloaded is kept, and the next Get goes on from there. Errors are, by errors.Is, one of this package's kinds, or
// ctx's.
func (c *Cache) Get(ctx context.Context, f File) (Item, error) {
	if item, err := c.Locate(ctx, f); !errors.Is(err, ErrMissing) {
		return item, err
	}
	if c.options.Offline {
		return Item{}, c.errOffline(f)
	}
	unlock, err := c.lockFile(ctx, f)
	if err != nil {
		return Item{}, err
	}
	defer unlock()
	if item, err := c.locateLocked(ctx, f); !errors.Is(err, ErrMissing) {
		return item, err // another process was faster
	}
	sum, size, err := c.downloadPart(ctx, f)
	if err != nil {
		return Item{}, err
	}
	return c.installFile(ctx, f, sum, size)
}

// errOffline says what is missing, where it would come from and where to put it by hand.
func (c *Cache) errOffline(f File) error {
	what := fmt.Sprintf("save it as %s", c.Path(f))
	if f.Unpack {
		what = fmt.Sprintf("unpack it into the folder %s", c.Path(f))
	}
	return fmt.Errorf("%w: %s is needed; get %s (sha256 %s) on another machine and %s", ErrOffline,
		f.Name, f.URL, cmp.Or(f.SHA256, "unknown"), what)
}

// installFile moves a finished download to its place, unpacked where that is asked for, and writes its receipt.
func (c *Cache) installFile(ctx context.Context, f File, sum string, size int64) (Item, error) {
	p := c.pathsOf(f)
	if err := os.MkdirAll(filepath.Dir(p.final), 0o755); err != nil {
		return Item{}, fmt.Errorf("fetch: %w", err)
	}
	ready := p.part
	if f.Unpack {
		ready = p.staging
		if err := c.unpackInto(ctx, f, p); err != nil {
			return Item{}, err
		}
	}
	if err := replacePath(ready, p.final, p.old); err != nil {
		return Item{}, fmt.Errorf("fetch: %w", err)
	}
	if err := writeReceipt(p, cacheReceipt{URL: f.URL, SHA256: sum, Size: size}); err != nil {
		return Item{}, err
	}
	return Item{Path: p.final, SHA256: sum, Size: size, Verified: f.SHA256 != ""},
		errors.Join(removeIfExists(p.part), removeIfExists(p.resume))
}

// replacePath moves path to final. What is there already makes way first where a folder is involved, for rename
// replaces files by files only.
func replacePath(path, final, old string) error {
	if !isDir(path) && !isDir(final) {
		return os.Rename(path, final)
	}
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.Rename(final, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(path, final); err != nil {
		return errors.Join(err, os.Rename(old, final))
	}
	return os.RemoveAll(old)
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// removeIfExists deletes a file that may be gone already.
func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("fetch: %w", err)
	}
	return nil
}

func sleepContext(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
