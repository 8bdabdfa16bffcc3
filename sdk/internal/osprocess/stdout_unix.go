//go:build unix

package osprocess

import (
	"os"

	"golang.org/x/sys/unix"
)

// divertStdout makes descriptor 1 a copy of descriptor 2 and returns the original file.
func divertStdout() (*os.File, error) {
	before, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(before), "stdout"), nil
}
