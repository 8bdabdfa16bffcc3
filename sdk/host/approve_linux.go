package host

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// openPath returns a path that always refers to the open file. Without a proc file system it returns path.
func openPath(file *os.File, path string) string {
	name := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	if _, err := os.Stat(name); err != nil {
		return path
	}
	return name
}

// changeTime returns the time of the last change of a file's contents or attributes. Programs cannot set this time.
func changeTime(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}
