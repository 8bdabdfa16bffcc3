package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
)

// lockPoll is the interval of the attempts to get another process's lock.
const lockPoll = 200 * time.Millisecond

// lockFile prevents other processes and goroutines from fetching f until unlock is called.
func (c *Cache) lockFile(ctx context.Context, f File) (unlock func(), err error) {
	path := c.cachePaths(f).lock
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	file, err := filelock.Open(path, 0o644)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	err = filelock.WaitLock(file, func() error {
		c.reportProgress(Progress{Name: f.Name, Phase: Waiting})
		return c.options.Sleep(ctx, lockPoll)
	})
	if err != nil {
		return nil, fmt.Errorf("fetch: lock %s: %w", path, errors.Join(err, file.Close()))
	}
	return func() { _ = file.Close() }, nil // closing unlocks
}
