//go:build !unix

package filelock

import (
	"errors"
	"os"
)

const noFollow = 0

// TryLock returns errors.ErrUnsupported, because the system has no supported locks.
func TryLock(*os.File) error { return errors.ErrUnsupported }
