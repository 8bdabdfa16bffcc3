//go:build unix

package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockShowsOwner says that a lock shows whether its owner lives.
const lockShowsOwner = true

// tryLock locks an open file unless somebody else has it locked.
func tryLock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
