package osprocess

import (
	"math"

	"golang.org/x/sys/unix"
)

// KeepOpenFiles makes the kernel close all descriptors except the three standard ones in every program that this
// process starts from now on. A shell, a service manager or a CI runner may have left files, folders and sockets open
// by mistake. In this process they stay open, because one of them may be a secret's file.
func KeepOpenFiles() {
	if unix.CloseRange(firstKept, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil { // before 5.11, or a seccomp filter
		keepEach()
	}
}
