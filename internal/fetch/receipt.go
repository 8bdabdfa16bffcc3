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

// cacheReceipt records the contents of a path in the cache, so that large files are hashed only once.
type cacheReceipt struct {
	URL      string `json:"url"`
	SHA256   string `json:"sha256"`
	Size     int64  `json:"size"`
	Modified int64  `json:"modified_ns"` // of the file, Unix time; 0 for a folder
	Placed   bool   `json:"placed"`      // by hand
}

// matchesVersion reports whether the receipt is for the version in f.
func (r cacheReceipt) matchesVersion(f File) bool {
	if f.SHA256 != "" {
		return r.SHA256 == f.SHA256
	}
	return r.Placed || r.URL == f.URL
}

// matchesFile reports whether the file is unchanged since the receipt was written.
func (r cacheReceipt) matchesFile(info fs.FileInfo) bool {
	return info.IsDir() || info.Size() == r.Size && info.ModTime().UnixNano() == r.Modified
}

func (r cacheReceipt) toItem(path string, f File) CachedFile {
	return CachedFile{Path: path, SHA256: r.SHA256, Size: r.Size, Verified: f.SHA256 != "", Placed: r.Placed}
}

// readReceipt returns false if the receipt is missing or unreadable. The caller then creates a new one.
func readReceipt(path string) (cacheReceipt, bool) {
	var r cacheReceipt
	text, err := readState(path)
	if err != nil || json.Unmarshal(text, &r) != nil {
		return cacheReceipt{}, false
	}
	return r, true
}

// maxState limits the size of the cache's state files. They have about a hundred bytes.
const maxState = 1 << 20

// readState reads a file written by writeJSON. It returns an error if the path is not a regular file.
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

// writeJSON replaces the file at path atomically.
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

// Locate returns f if it is in the cache, fetched or placed by hand. It downloads nothing. ErrMissing means that Get
// must fetch the file. ErrChecksum means that a file with other contents is there.
func (c *Cache) Locate(ctx context.Context, f File) (CachedFile, error) {
	if item, _, err := c.locateByReceipt(f); !errors.Is(err, errNoReceipt) {
		return item, err
	}
	unlock, err := c.lockFile(ctx, f) // a process that has just fetched f may still be writing its receipt
	switch {
	case err == nil:
		defer unlock()
	case !isReadOnly(err):
		return CachedFile{}, err
	}
	return c.locateLocked(ctx, f)
}

// locateLocked is Locate for a caller that holds the lock of f.
func (c *Cache) locateLocked(ctx context.Context, f File) (CachedFile, error) {
	item, info, err := c.locateByReceipt(f)
	if errors.Is(err, errNoReceipt) {
		return c.locatePlaced(ctx, f, info)
	}
	return item, err
}

// errNoReceipt is the error for an existing file or folder without a matching receipt.
var errNoReceipt = errors.New("fetch: what is there has no receipt")

// locateByReceipt checks f by its receipt only. With errUnknown it returns the file's info.
func (c *Cache) locateByReceipt(f File) (CachedFile, fs.FileInfo, error) {
	if err := f.checkEntry(); err != nil {
		return CachedFile{}, nil, err
	}
	p := c.cachePaths(f)
	info, err := os.Stat(p.final)
	if errors.Is(err, fs.ErrNotExist) {
		return CachedFile{}, nil, fmt.Errorf("%w: %s", ErrMissing, p.final)
	}
	if err != nil {
		return CachedFile{}, nil, fmt.Errorf("fetch: %w", err)
	}
	r, fetched := readReceipt(p.receipt)
	switch {
	case fetched && r.matchesVersion(f) && f.Unpack == info.IsDir() && r.matchesFile(info):
		return r.toItem(p.final, f), nil, nil
	case fetched && !r.matchesVersion(f) && !r.Placed:
		return CachedFile{}, nil, fmt.Errorf("%w: %s is of an older version", ErrMissing, p.final)
	}
	return CachedFile{}, info, errNoReceipt
}

// isReadOnly reports whether a write failed because the cache is read-only.
func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// locatePlaced checks a file or folder that was placed or changed by hand, and writes its receipt.
func (c *Cache) locatePlaced(ctx context.Context, f File, info fs.FileInfo) (CachedFile, error) {
	p := c.cachePaths(f)
	switch {
	case f.Unpack && !info.IsDir():
		return CachedFile{}, fmt.Errorf("%w: %s is a file, want the folder of the unpacked archive; move it away",
			ErrChecksum, p.final)
	case !f.Unpack && !info.Mode().IsRegular():
		return CachedFile{}, fmt.Errorf("%w: %s is a %v, want a file; move it away", ErrChecksum, p.final, info.Mode().Type())
	case f.Unpack:
		return placedFolder(p)
	}
	sum, size, err := c.hashFile(ctx, f, p.final)
	if err != nil {
		return CachedFile{}, err
	}
	if err := f.checkContent(sum, size); err != nil {
		return CachedFile{}, fmt.Errorf("%s: %w; delete or replace this file", p.final, err)
	}
	r := cacheReceipt{SHA256: sum, Size: size, Placed: true}
	if err := writeReceipt(p, r); err != nil && !isReadOnly(err) {
		return CachedFile{}, err // in a read-only cache, the file is hashed each time
	}
	return r.toItem(p.final, f), nil
}

// placedFolder accepts any folder that is not empty. The reader of the data checks the contents.
func placedFolder(p cachePaths) (CachedFile, error) {
	entries, err := os.ReadDir(p.final)
	if err != nil {
		return CachedFile{}, fmt.Errorf("fetch: %w", err)
	}
	if len(entries) == 0 {
		return CachedFile{}, fmt.Errorf("%w: %s is an empty folder", ErrMissing, p.final)
	}
	return CachedFile{Path: p.final, Placed: true}, nil
}
