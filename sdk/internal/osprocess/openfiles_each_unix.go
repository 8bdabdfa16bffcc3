//go:build unix

package osprocess

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// firstKept is the first descriptor after the three standard ones.
const firstKept = 3

// keepEach marks descriptors one by one: those in the system's list of open descriptors or, without a list, those up to
// the limit.
func keepEach() {
	for _, list := range []string{"/proc/self/fd", "/dev/fd"} {
		folder, err := os.Open(list)
		if err != nil {
			continue
		}
		names, err := folder.Readdirnames(-1)
		_ = folder.Close() // opened only for reading
		if err != nil {
			continue
		}
		for _, name := range names {
			if fd, err := strconv.Atoi(name); err == nil && fd >= firstKept {
				unix.CloseOnExec(fd)
			}
		}
		return
	}
	keepUpTo(maxDescriptors())
}

func keepUpTo(maxFD int) {
	for fd := firstKept; fd < maxFD; fd++ {
		unix.CloseOnExec(fd)
	}
}

// maxDescriptors returns the maximum number of descriptors of a process, limited to 1,048,576, Linux's default maximum.
func maxDescriptors() int {
	const maxFD = 1 << 20
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return maxFD
	}
	return int(min(uint64(limit.Max), maxFD)) //nolint:unconvert // signed on FreeBSD
}
