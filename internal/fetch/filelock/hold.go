package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// How long, and how often, Hold asks whether another process is done.
const (
	holdFor  = time.Minute
	holdPoll = 20 * time.Millisecond
)

// Hold keeps other processes, and other callers in this one, from what the lock file at path stands for, until
// release is called or the process ends. It is for what is read, changed and written: it waits for another that is at
// it for at most a minute. The file and its folder are made where they are missing. Where the file system knows no
// locks, nobody is kept out.
func Hold(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := Open(path, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, holdFor, fmt.Errorf("still so after %v", holdFor))
	defer cancel()
	if err := Wait(f, func() error { return pauseShortly(ctx) }); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

func pauseShortly(ctx context.Context) error {
	select {
	case <-time.After(holdPoll):
		return nil
	case <-ctx.Done():
		return errors.Join(ErrHeld, context.Cause(ctx))
	}
}

// Wait is Try until another process has not the lock. It calls pause each time, whose error ends it.
func Wait(f *os.File, pause func() error) error {
	for {
		err := Try(f)
		if errors.Is(err, ErrHeld) {
			if err = pause(); err == nil {
				continue
			}
		}
		return err
	}
}
