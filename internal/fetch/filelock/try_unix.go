//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// Try locks f until it is closed. The error is ErrHeld, or has errors.ErrUnsupported in its chain where the file system
// knows no locks, so that nobody can tell whether it is held.
func Try(f *os.File) error {
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
