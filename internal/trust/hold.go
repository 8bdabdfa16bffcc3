package trust

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
)

// heldSuffix ends the name of the file whose lock keeps other processes from changing the pins.
const heldSuffix = ".held"

// Hold keeps other processes from changing the lock file at path, between reading and writing it, until release is
// called or the process ends. It waits for one that is at it for at most a minute. Where the file system knows no
// locks, two commands at once may lose a pin, which a run then says.
func Hold(ctx context.Context, path string) (release func(), err error) {
	release, err = filelock.Hold(ctx, path+heldSuffix)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrLock, path, err)
	}
	return release, nil
}
