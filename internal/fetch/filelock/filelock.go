// Package filelock locks files between processes. The kernel releases a lock when its process ends. Lock files are not
// removed; otherwise two processes could lock two files of the same name.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld is the error of Try if another open file holds the lock, in this process or another.
var ErrHeld = errors.New("another process holds the lock")

// Open opens the lock file at path, and creates it with perm if it is missing. It rejects a symbolic link.
func Open(path string, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR|noFollow, perm)
}
