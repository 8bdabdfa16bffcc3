//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// TryLock locks f until f is closed. The error is ErrHeld if another open file holds the lock. If the file system has
// no locks, errors.ErrUnsupported is in the error's chain.
func TryLock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case errors.Is(err, syscall.ENOLCK):
			return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
		return err
	}
}
