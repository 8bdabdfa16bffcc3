package trust

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/fetch/filelock"
)

// heldSuffix ends the name of the file whose lock keeps other processes from changing the pins.
const heldSuffix = ".held"

// How long, and how often, to ask whether another process is done: changing pins takes as long as reading the files.
const (
	holdFor  = time.Minute
	holdPoll = 20 * time.Millisecond
)

// Hold keeps other processes from changing the lock file at path, between reading and writing it, until release is called or
// the process ends. It waits for one that is at it for at most a minute.
func Hold(ctx context.Context, path string) (release func(), err error) {
	f, err := openHeld(path + heldSuffix)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLock, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, holdFor, fmt.Errorf("still so after %v", holdFor))
	defer cancel()
	for {
		err := filelock.Try(f)
		if err == nil || errors.Is(err, errors.ErrUnsupported) { // two commands at once may lose a pin, which a run then says
			return func() { _ = f.Close() }, nil // closing unlocks
		}
		select {
		case <-time.After(holdPoll):
		case <-ctx.Done():
			err = errors.Join(err, context.Cause(ctx))
		}
		if !errors.Is(err, filelock.ErrHeld) || ctx.Err() != nil {
			return nil, fmt.Errorf("%w %s: %w", ErrLock, path, errors.Join(err, f.Close()))
		}
	}
}

func openHeld(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return filelock.Open(path, 0o600)
}
