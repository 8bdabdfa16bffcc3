package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// The wait before attempt n+1 is firstWait * 2^(n-1), up to maxWait. If the server asks for a time, it is that time, up
// to maxAsked.
const (
	firstWait     = time.Second
	maxWait       = 30 * time.Second
	maxRetryAfter = 2 * time.Minute
)

// transientError is a failure after which another attempt may succeed.
type transientError struct {
	error
	after time.Duration // the server's Retry-After; 0: none
}

func (t transientError) Unwrap() error { return t.error }

// downloadPart downloads the part file and checks it. If the checksum of a resumed download is wrong, it downloads the
// file once more as a whole, because the file may have changed on the server without notice.
func (c *Cache) downloadPart(ctx context.Context, f File) (sum string, size int64, err error) {
	p := c.cachePaths(f)
	for {
		resumed, err := c.transferPart(ctx, f, p)
		if err != nil {
			return "", 0, err
		}
		sum, size, err := c.hashFile(ctx, f, p.part)
		if err != nil {
			return "", 0, err
		}
		mismatch := f.checkContent(sum, size)
		if mismatch == nil {
			return sum, size, nil
		}
		if err := discardPart(p); err != nil {
			return "", 0, err
		}
		if !resumed {
			return "", 0, fmt.Errorf("%s: %w; the file at this address has changed, or something on the way alters it",
				f.URL, mismatch)
		}
	}
}

// transferPart makes attempts until the part file is complete. It reports whether an attempt resumed an earlier one.
func (c *Cache) transferPart(ctx context.Context, f File, p cachePaths) (resumed bool, err error) {
	for n := 1; ; n++ {
		resumedHere, err := c.attemptDownload(ctx, f, p, n)
		resumed = resumed || resumedHere
		if err == nil {
			return resumed, nil
		}
		if ctx.Err() != nil {
			return false, fmt.Errorf("fetch %s: %w", f.Name, context.Cause(ctx))
		}
		var t transientError
		if !errors.As(err, &t) {
			return false, fmt.Errorf("%s: %w", f.URL, err)
		}
		if n == c.options.Attempts {
			return false, fmt.Errorf("%w: %s: %w (attempt %d of %d; what has come is kept, another run goes on from there)",
				ErrServer, f.URL, err, n, n)
		}
		c.reportProgress(Progress{Name: f.Name, Phase: Waiting, Attempt: n, Err: err})
		if err := c.options.Sleep(ctx, t.waitAfter(n)); err != nil {
			return false, fmt.Errorf("fetch %s: %w", f.Name, err)
		}
	}
}

// waitAfter returns the wait after attempt n.
func (t transientError) waitAfter(n int) time.Duration {
	if t.after > 0 {
		return min(t.after, maxRetryAfter)
	}
	wait := firstWait
	for ; n > 1 && wait < maxWait; n-- {
		wait *= 2
	}
	return min(wait, maxWait)
}

// discardPart deletes the downloaded bytes.
func discardPart(p cachePaths) error {
	return errors.Join(removeIfExists(p.part), removeIfExists(p.version))
}

// partSize returns the number of downloaded bytes, 0 if there is no part file. It deletes a link or a pipe with the
// file's name.
func partSize(p cachePaths) (int64, error) {
	info, err := os.Lstat(p.part)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("fetch: %w", err)
	case !info.Mode().IsRegular():
		return 0, discardPart(p)
	}
	return info.Size(), nil
}
