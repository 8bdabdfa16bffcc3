package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The limit and the interval of Hold's waits for another holder.
const (
	maxHoldWait  = time.Minute
	holdInterval = 20 * time.Millisecond
)

// HoldLock locks the file at path until release is called or the process ends. It excludes other processes and other
// callers in this process, so that a caller can read, change and write what the lock protects. It waits up to a minute
// for another holder. It creates the file and its folder if they are missing. On file systems without locks it returns
// without a lock.
func HoldLock(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := Open(path, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxHoldWait, fmt.Errorf("still so after %v", maxHoldWait))
	defer cancel()
	if err := WaitLock(f, func() error { return pauseShortly(ctx) }); err != nil && !errors.Is(err,
		errors.ErrUnsupported) {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

func pauseShortly(ctx context.Context) error {
	select {
	case <-time.After(holdInterval):
		return nil
	case <-ctx.Done():
		return errors.Join(ErrHeld, context.Cause(ctx))
	}
}

// WaitLock calls Try until the lock is free. After each failure it calls pause, and it returns an error of pause.
func WaitLock(f *os.File, pause func() error) error {
	for {
		err := TryLock(f)
		if errors.Is(err, ErrHeld) {
			if err = pause(); err == nil {
				continue
			}
		}
		return err
	}
}
