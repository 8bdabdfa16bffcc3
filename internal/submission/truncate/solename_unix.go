//go:build unix

package truncate

import (
	"os"
	"syscall"
)

// hasOneName reports whether a file has only one name, so it cannot be changed under another one.
func hasOneName(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
