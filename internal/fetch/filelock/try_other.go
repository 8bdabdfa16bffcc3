//go:build !unix

package filelock

import (
	"errors"
	"os"
)

const noFollow = 0

// Try returns errors.ErrUnsupported, because the system has no supported locks.
func Try(*os.File) error { return errors.ErrUnsupported }
