//go:build unix

package plugin

import "golang.org/x/sys/unix"

// killGroup kills the process group that a plugin leads. One that is gone already is no fault.
func killGroup(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }
