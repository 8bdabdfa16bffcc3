package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockPoll is how often a process asks whether another one is done.
const lockPoll = 200 * time.Millisecond

// lock keeps other processes, and other goroutines of this one, from fetching f until unlock is called. The lock ends
// with the process that holds it. Its file stays: removing it would let two processes lock two files of one name.
func (c *Cache) lock(ctx context.Context, f File) (unlock func(), err error) {
	path := c.paths(f).lock
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil // closing unlocks
		}
		if errors.Is(err, syscall.EWOULDBLOCK) {
			c.report(Progress{Name: f.Name, Phase: Waiting})
			err = c.options.Sleep(ctx, lockPoll)
		} else if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("fetch: lock %s: %w", path, errors.Join(err, file.Close()))
		}
	}
}
