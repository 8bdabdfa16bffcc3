package openfiles

import (
	"math"

	"golang.org/x/sys/unix"
)

// Keep has the kernel close all descriptors but the three standard ones in every program that this process starts from
// now on. In this process they stay open: a secret's file may be one of them.
func Keep() {
	if unix.CloseRange(firstKept, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) != nil { // older than 5.11, or under a filter
		keepEach()
	}
}
