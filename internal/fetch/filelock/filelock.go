// Package filelock locks files between processes. The kernel releases a lock when its process ends. Lock files are not
// removed; otherwise two processes could lock two files of the same name.
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
