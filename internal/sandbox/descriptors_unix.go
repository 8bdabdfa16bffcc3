//go:build unix

package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// closeOnExec has the kernel close all descriptors but the three standard ones where this process, or one that it
// forks, becomes another program: those that were inherited from whatever started it, too, which Go does not know.
func closeOnExec() error {
	const sysCloseRange, all, onExec = 436, 1<<32 - 1, 4 // the number is the same on all architectures of Linux
	if runtime.GOOS == "linux" {
		if _, _, errno := syscall.RawSyscall(sysCloseRange, 3, all, onExec); errno == 0 {
			return nil
		}
	}
	return closeEachOnExec() // older than Linux 5.11, or under a filter, or not Linux
}

// closeEachOnExec does it by the list of this process's descriptors, and where there is none by all numbers up to the
// limit: a limit that was lowered hides those above.
func closeEachOnExec() error {
	for _, list := range []string{"/proc/self/fd", "/dev/fd"} {
		folder, err := os.Open(list)
		if err != nil {
			continue
		}
		names, err := folder.Readdirnames(-1)
		_ = folder.Close() // opened for reading
		if err != nil {
			continue
		}
		for _, name := range names {
			if fd, err := strconv.Atoi(name); err == nil && fd > 2 {
				syscall.CloseOnExec(fd)
			}
		}
		return nil
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	const most = 1 << 20
	if uint64(limit.Max) > most { //nolint:unconvert // signed on FreeBSD
		return errors.New("this process's descriptors cannot be listed: mount /proc")
	}
	for fd := 3; fd < int(limit.Max); fd++ {
		syscall.CloseOnExec(fd)
	}
	return nil
}
