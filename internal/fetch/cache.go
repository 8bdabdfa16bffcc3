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

// Options configures downloads. The zero value is usable.
type Options struct {
	// Offline rejects downloads.
	Offline bool
	// Proxy chooses a proxy for a request, like http.ProxyFromEnvironment; nil: no proxy.
	Proxy func(*http.Request) (*url.URL, error)
	// Attempts is the number of attempts in one Get, each of which resumes the previous one; 0: 6.
	Attempts int
	// StallTimeout ends an attempt if no bytes arrive for this time; 0: 60 s.
	StallTimeout time.Duration
	// Sleep waits between attempts and for other processes; nil: real time. It must return early when ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
	// Progress, if not nil, is called often from the goroutine of Get and must return quickly.
	Progress func(Progress)
	// Limits restricts the size of downloads and unpacked archives.
	Limits Limits
}

// CachedFile is a file or an unpacked archive in the cache.
type CachedFile struct {
	Path     string // the file, or the folder of an unpacked archive
	SHA256   string // measured, of the downloaded file or archive; empty for a folder placed by hand
	Size     int64  // bytes of the downloaded file or archive; 0 for a folder placed by hand
	Verified bool   // SHA256 equals the File's
	Placed   bool   // placed by hand, not by Get
}

// Warning returns what is doubtful about the item, or "".
func (i CachedFile) Warning() string {
	switch {
	case i.Verified:
		return ""
	case i.SHA256 == "":
		return fmt.Sprintf("%s is unverified: a folder placed by hand has no sha256", i.Path)
	}
	return fmt.Sprintf("%s is unverified: no sha256 is known for it; what came has %s", i.Path, i.SHA256)
}

// Cache is a folder of downloads. It is safe for concurrent use, including by several processes.
type Cache struct {
	dir     string
	options Options
	client  *http.Client
}

// Open returns the cache in dir. The folder is created with the first file.
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

// Path returns the path of f in the cache, whether or not it exists.
func (c *Cache) Path(f File) string { return c.cachePaths(f).final }

// Get returns f from the cache. If it is missing or another version, Get downloads it first. After a failure the
// downloaded bytes are kept, and the next Get resumes from there. By errors.Is, an error is one of this package's kinds
// or ctx's.
func (c *Cache) Get(ctx context.Context, f File) (CachedFile, error) {
	if item, err := c.Locate(ctx, f); !errors.Is(err, ErrMissing) {
		return item, err
	}
	if c.options.Offline {
		return CachedFile{}, c.errOffline(f)
	}
	unlock, err := c.lockFile(ctx, f)
	if err != nil {
		return CachedFile{}, err
	}
	defer unlock()
	if item, err := c.locateLocked(ctx, f); !errors.Is(err, ErrMissing) {
		return item, err // another process was faster
	}
	sum, size, err := c.downloadPart(ctx, f)
	if err != nil {
		return CachedFile{}, err
	}
	return c.installFile(ctx, f, sum, size)
}

// errOffline returns an error that names the missing file, its address and the path for placing it by hand.
func (c *Cache) errOffline(f File) error {
	what := fmt.Sprintf("save it as %s", c.Path(f))
	if f.Unpack {
		what = fmt.Sprintf("unpack it into the folder %s", c.Path(f))
	}
	return fmt.Errorf("%w: %s is needed; get %s (sha256 %s) on another machine and %s", ErrOffline,
		f.Name, f.URL, cmp.Or(f.SHA256, "unknown"), what)
}

// installFile moves a finished download to its final path, unpacks it if f.Unpack is true, and writes its receipt.
func (c *Cache) installFile(ctx context.Context, f File, sum string, size int64) (CachedFile, error) {
	p := c.cachePaths(f)
	if err := os.MkdirAll(filepath.Dir(p.final), 0o755); err != nil {
		return CachedFile{}, fmt.Errorf("fetch: %w", err)
	}
	ready := p.part
	if f.Unpack {
		ready = p.staging
		if err := c.unpackInto(ctx, f, p); err != nil {
			return CachedFile{}, err
		}
	}
	if err := replacePath(ready, p.final, p.replaced); err != nil {
		return CachedFile{}, fmt.Errorf("fetch: %w", err)
	}
	if err := writeReceipt(p, cacheReceipt{URL: f.URL, SHA256: sum, Size: size}); err != nil {
		return CachedFile{}, err
	}
	return CachedFile{Path: p.final, SHA256: sum, Size: size, Verified: f.SHA256 != ""},
		errors.Join(removeIfExists(p.part), removeIfExists(p.version))
}

// replacePath moves path to final. If one of them is a folder, it first moves the existing final to old, because rename
// replaces only files by files.
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

// removeIfExists deletes a file. A missing file is not an error.
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
