package trust

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/fetch/filelock"
)

// heldSuffix is the suffix of the file whose lock prevents other processes from changing the pins.
const heldSuffix = ".held"

// Hold prevents other processes from changing the lock file at path between reading and writing. It holds until release
// is called or the process ends. It waits up to a minute for another process. On file systems without locks, two
// commands at the same time may lose a pin; the next run then reports the missing pin.
func Hold(ctx context.Context, path string) (release func(), err error) {
	release, err = filelock.HoldLock(ctx, path+heldSuffix)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrLock, path, err)
	}
	return release, nil
}
