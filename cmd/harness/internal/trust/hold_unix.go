//go:build unix

package trust

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// noFollow opens no file that a symbolic link names.
const noFollow = unix.O_NOFOLLOW

// tryLock locks an open file for as long as it is open. Where the file system has no locks, nobody can tell.
func tryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK), errors.Is(err, unix.EINTR):
		return errInUse
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, unix.ENOLCK):
		return nil
	}
	return err
}
