//go:build unix

package sandbox

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// closeOnExec marks all descriptors except the three standard ones as close-on-exec, for this process and those that it
// forks. They include descriptors that this process inherited and Go does not know.
func closeOnExec() error {
	const sysCloseRange, all, onExec = 436, 1<<32 - 1, 4 // the number is the same on all architectures of Linux
	if runtime.GOOS == "linux" {
		if _, _, errno := syscall.RawSyscall(sysCloseRange, 3, all, onExec); errno == 0 {
			return nil
		}
	}
	return closeEachOnExec() // older than Linux 5.11, blocked by a filter, or another system
}

// closeEachOnExec marks each descriptor in this process's list of descriptors. If there is no list, it marks all
// numbers up to the limit, which misses descriptors above a lowered limit.
func closeEachOnExec() error {
	for _, list := range []string{"/proc/self/fd", "/dev/fd"} {
		folder, err := os.Open(list)
		if err != nil {
			continue
		}
		names, err := folder.Readdirnames(-1)
		_ = folder.Close() // closing a folder loses no data
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
