//go:build unix

package trust

import (
	"io/fs"
	"syscall"
)

// ownerOf returns a file's mode and the numbers of its user and group.
func ownerOf(info fs.FileInfo) (mode fs.FileMode, owner, group int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, 0, false
	}
	return info.Mode(), int(stat.Uid), int(stat.Gid), true
}
