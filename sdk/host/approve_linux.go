package host

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// openPath names an open file, whatever lies at path by now. Where there is no proc file system it is path.
func openPath(file *os.File, path string) string {
	name := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.Fd())
	if _, err := os.Stat(name); err != nil {
		return path
	}
	return name
}

// changeTime is when the contents or the attributes of a file last changed. Nobody can set it.
func changeTime(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}
