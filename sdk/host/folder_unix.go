//go:build unix

package host

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockShowsOwner reports whether a lock shows that its owner is alive.
const lockShowsOwner = true

// openFolder opens a folder. It refuses other files, because opening another account's named pipe would wait for a
// writer.
func openFolder(path string) (*os.File, error) {
	return os.OpenFile(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
}

// tryLock locks an open file. It returns an error if another process has locked it.
func tryLock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
