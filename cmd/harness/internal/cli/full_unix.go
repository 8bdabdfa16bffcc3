//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// full reports whether a file could not be written for lack of room: of the disk, of the user's share, or of a file.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
