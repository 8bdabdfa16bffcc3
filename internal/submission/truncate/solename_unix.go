//go:build unix

package truncate

import (
	"os"
	"syscall"
)

// soleName says whether a file has no other name under which somebody could write to it.
func soleName(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 1
}
