//go:build unix

package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockShowsOwner says that a lock shows whether its owner lives.
const lockShowsOwner = true

// openFolder opens a folder and nothing else: to open another account's named pipe would wait for its writer.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
}

// tryLock locks an open file unless somebody else has it locked.
func tryLock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
