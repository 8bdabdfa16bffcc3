package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
)

// cacheReceipt says what a place in the cache holds, so that a large file is hashed once and not at every start.
type cacheReceipt struct {
	URL      string `json:"url"`
	SHA256   string `json:"sha256"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified_ns"` // of the file, Unix time; 0 for a folder
	Placed   bool   `json:"placed"`      // by hand
}

// matchesVersion reports whether the receipt is for the version that f asks for.
func (r cacheReceipt) matchesVersion(f File) bool {
	if f.SHA256 != "" {
		return r.SHA256 == f.SHA256
	}
	return r.Placed || r.URL == f.URL
}

// matchesFile reports whether the file is still as it was when the receipt was written.
func (r cacheReceipt) matchesFile(info fs.FileInfo) bool {
	return info.IsDir() || info.Size() == r.Size && info.ModTime().UnixNano() == r.Modified
}

func (r cacheReceipt) toItem(path string, f File) Item {
	return Item{Path: path, SHA256: r.SHA256, Size: r.Size, Verified: f.SHA256 != "", Placed: r.Placed}
}

// readReceipt returns false where there is no receipt, or none that can be read: it is then made anew.
func readReceipt(path string) (cacheReceipt, bool) {
	var r cacheReceipt
	text, err := readState(path)
	if err != nil || json.Unmarshal(text, &r) != nil {
		return cacheReceipt{}, false
	}
	return r, true
}

// maxState is the size up to which the files of the cache's own are read: they have some hundred bytes.
const maxState = 1 << 20

// readState reads a file that writeJSON wrote. Whatever else lies there is no state.
func readState(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxState {
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", path, maxState)
	}
	return os.ReadFile(path)
}

func writeReceipt(p cachePaths, r cacheReceipt) error {
	info, err := os.Stat(p.final)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	if !info.IsDir() {
		r.Modified = info.ModTime().UnixNano()
	}
	return writeJSON(p.receipt, r)
}

// writeJSON replaces path as a whole, so that no reader sees half of it.
func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = wholefile.Write(path, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	return nil
}

// Locate returns f if it is in the cache: fetched, or put there by hand. It downloads nothing. ErrMissing means that
// Get has to fetch it; ErrChecksum that a file is there whose contents are not those that f asks for.
func (c *Cache) Locate(ctx context.Context, f File) (Item, error) {
	if item, _, err := c.locateKnown(f); !errors.Is(err, errUnknown) {
		return item, err
	}
	unlock, err := c.lockFile(ctx, f) // a process that has just fetched it may be about to write its receipt
	switch {
	case err == nil:
		defer unlock()
	case !readOnly(err):
		return Item{}, err
	}
	return c.locateLocked(ctx, f)
}

// locateLocked is Locate for who holds the lock of f.
func (c *Cache) locateLocked(ctx context.Context, f File) (Item, error) {
	item, info, err := c.locateKnown(f)
	if errors.Is(err, errUnknown) {
		return c.locatePlaced(ctx, f, info)
	}
	return item, err
}

// errUnknown says that something is where f would be, and that no receipt is for it.
var errUnknown = errors.New("fetch: what is there has no receipt")

// locateKnown judges by the receipt alone. With errUnknown it returns what is there.
func (c *Cache) locateKnown(f File) (Item, fs.FileInfo, error) {
	if err := f.checkEntry(); err != nil {
		return Item{}, nil, err
	}
	p := c.pathsOf(f)
	info, err := os.Stat(p.final)
	if errors.Is(err, fs.ErrNotExist) {
		return Item{}, nil, fmt.Errorf("%w: %s", ErrMissing, p.final)
	}
	if err != nil {
		return Item{}, nil, fmt.Errorf("fetch: %w", err)
	}
	r, fetched := readReceipt(p.receipt)
	switch {
	case fetched && r.matchesVersion(f) && f.Unpack == info.IsDir() && r.matchesFile(info):
		return r.toItem(p.final, f), nil, nil
	case fetched && !r.matchesVersion(f) && !r.Placed:
		return Item{}, nil, fmt.Errorf("%w: %s is of an older version", ErrMissing, p.final)
	}
	return Item{}, info, errUnknown
}

// readOnly reports whether a write failed because the cache is read-only.
func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// locatePlaced judges what was put into the cache, or changed there, by other hands than Get's.
func (c *Cache) locatePlaced(ctx context.Context, f File, info fs.FileInfo) (Item, error) {
	p := c.pathsOf(f)
	switch {
	case f.Unpack && !info.IsDir():
		return Item{}, fmt.Errorf("%w: %s is a file, want the folder of the unpacked archive; move it away",
			ErrChecksum, p.final)
	case !f.Unpack && !info.Mode().IsRegular():
		return Item{}, fmt.Errorf("%w: %s is a %v, want a file; move it away", ErrChecksum, p.final, info.Mode().Type())
	case f.Unpack:
		return placedFolder(p)
	}
	sum, size, err := c.hashFile(ctx, f, p.final)
	if err != nil {
		return Item{}, err
	}
	if err := f.checkContent(sum, size); err != nil {
		return Item{}, fmt.Errorf("%s: %w; delete or replace this file", p.final, err)
	}
	r := cacheReceipt{SHA256: sum, Size: size, Placed: true}
	if err := writeReceipt(p, r); err != nil && !readOnly(err) {
		return Item{}, err // in a cache that is read-only, the file is hashed each time
	}
	return r.toItem(p.final, f), nil
}

// placedFolder accepts any folder that is not empty: what should be in it is the reader's to check.
func placedFolder(p cachePaths) (Item, error) {
	entries, err := os.ReadDir(p.final)
	if err != nil {
		return Item{}, fmt.Errorf("fetch: %w", err)
	}
	if len(entries) == 0 {
		return Item{}, fmt.Errorf("%w: %s is an empty folder", ErrMissing, p.final)
	}
	return Item{Path: p.final, Placed: true}, nil
}
