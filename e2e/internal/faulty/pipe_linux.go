package faulty

import (
	"os"

	"golang.org/x/sys/unix"
)

// shrink gives a pipe the smallest buffer, so that its writer soon blocks.
func shrink(pipe *os.File) error {
	_, err := unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, 4096)
	return err
}
