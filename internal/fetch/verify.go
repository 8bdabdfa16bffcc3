package fetch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// hashFile computes the checksum and the size of a file, and reports progress.
func (c *Cache) hashFile(ctx context.Context, f File, path string) (sum string, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", 0, fmt.Errorf("fetch: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", 0, fmt.Errorf("fetch: %w", err)
	}
	h := sha256.New()
	w := &countingWriter{Writer: h, progress: func(n int64) {
		c.reportProgress(Progress{Name: f.Name, Phase: Verifying, Done: n, Total: info.Size()})
	}}
	size, err = io.CopyBuffer(struct{ io.Writer }{w}, newContextReader(ctx, file), make([]byte, 1<<20))
	if err != nil {
		return "", 0, fmt.Errorf("fetch: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// checkContent compares a file's checksum and size with those in f. Empty files are always rejected.
func (f File) checkContent(sum string, size int64) error {
	switch {
	case size == 0:
		return fmt.Errorf("%w: it is empty", ErrChecksum)
	case f.Size > 0 && size != f.Size:
		return fmt.Errorf("%w: %d bytes, want %d", ErrChecksum, size, f.Size)
	case f.SHA256 != "" && sum != f.SHA256:
		return fmt.Errorf("%w: sha256 %s, want %s", ErrChecksum, sum, f.SHA256)
	}
	return nil
}

// newContextReader returns a reader of r that fails when ctx ends.
func newContextReader(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(b)
	})
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
