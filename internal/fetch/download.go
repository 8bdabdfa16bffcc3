package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// The wait before attempt n+1 is firstWait doubled n-1 times, at most longestWait, or what the server asks for up to
// longestAsked.
const (
	firstWait    = time.Second
	longestWait  = 30 * time.Second
	longestAsked = 2 * time.Minute
)

// transient is a failure that another attempt may get over.
type transient struct {
	error
	after time.Duration // the server's Retry-After; 0: none
}

func (t transient) Unwrap() error { return t.error }

// download fills the part file and checks it. A mismatch of bytes that came in several pieces gets a second chance in
// one piece: the file may have changed in between in a way that the server did not tell.
func (c *Cache) download(ctx context.Context, f File) (sum string, size int64, err error) {
	p := c.paths(f)
	for {
		resumed, err := c.transfer(ctx, f, p)
		if err != nil {
			return "", 0, err
		}
		sum, size, err := c.hash(ctx, f, p.part)
		if err != nil {
			return "", 0, err
		}
		mismatch := f.compare(sum, size)
		if mismatch == nil {
			return sum, size, nil
		}
		if err := discard(p); err != nil {
			return "", 0, err
		}
		if !resumed {
			return "", 0, fmt.Errorf("%s: %w; the file at this address has changed, or something on the way alters it",
				f.URL, mismatch)
		}
	}
}

// transfer makes attempts until the part file is complete, and reports whether it came in more than one piece.
func (c *Cache) transfer(ctx context.Context, f File, p paths) (resumed bool, err error) {
	for n := 1; ; n++ {
		resumedHere, err := c.attempt(ctx, f, p, n)
		resumed = resumed || resumedHere
		if err == nil {
			return resumed, nil
		}
		if ctx.Err() != nil {
			return false, fmt.Errorf("fetch %s: %w", f.Name, context.Cause(ctx))
		}
		var t transient
		if !errors.As(err, &t) {
			return false, fmt.Errorf("%s: %w", f.URL, err)
		}
		if n == c.options.Attempts {
			return false, fmt.Errorf("%w: %s: %w (attempt %d of %d; what has come is kept, another run goes on from there)",
				ErrServer, f.URL, err, n, n)
		}
		c.report(Progress{Name: f.Name, Phase: Waiting, Attempt: n, Err: err})
		if err := c.options.Sleep(ctx, t.wait(n)); err != nil {
			return false, fmt.Errorf("fetch %s: %w", f.Name, err)
		}
	}
}

// wait is how long to wait after attempt n.
func (t transient) wait(n int) time.Duration {
	if t.after > 0 {
		return min(t.after, longestAsked)
	}
	wait := firstWait
	for ; n > 1 && wait < longestWait; n-- {
		wait *= 2
	}
	return min(wait, longestWait)
}

// discard deletes what has been downloaded.
func discard(p paths) error {
	return errors.Join(remove(p.part), remove(p.resume))
}

// partSize is how much has been downloaded, 0 where nothing has. A link or a pipe in the file's place goes.
func partSize(p paths) (int64, error) {
	info, err := os.Lstat(p.part)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("fetch: %w", err)
	case !info.Mode().IsRegular():
		return 0, discard(p)
	}
	return info.Size(), nil
}
