//go:build unix

package lifeline

import "golang.org/x/sys/unix"

// end kills the process group if this process leads it.
func end() {
	if pid := unix.Getpid(); unix.Getpgrp() == pid {
		_ = unix.Kill(-pid, unix.SIGKILL)
	}
}
