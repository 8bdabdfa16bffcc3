//go:build !unix

package filelock

import (
	"errors"
	"os"
)

const noFollow = 0

// Try knows no locks of this system: the error is errors.ErrUnsupported.
func Try(*os.File) error { return errors.ErrUnsupported }
