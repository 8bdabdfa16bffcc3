// Package filelock locks files between processes. The kernel ends a lock with the process that holds it at the latest;
// lock files stay, since removing one would let two processes lock two files of one name.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld says that another open file has the lock, of this process or of another.
var ErrHeld = errors.New("another process holds the lock")

// Open opens the lock file at path, and makes it with perm where it is missing. A symbolic link there is refused.
func Open(path string, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR|noFollow, perm)
}
