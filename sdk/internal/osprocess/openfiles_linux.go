package osprocess

import (
	"math"

	"golang.org/x/sys/unix"
)

// KeepOpenFiles has the kernel close all descriptors but the three standard ones in every program that this process
// starts from now on: a shell, a service manager or a CI runner may have left files, folders and sockets open that none
// of them is meant to have. In this process they stay open: a secret's file may be one of them.
func KeepOpenFiles() {
	if unix.CloseRange(firstKept, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil { // older than 5.11, or under a filter
		keepEach()
	}
}
