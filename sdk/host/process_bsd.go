//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup puts a child into its own process group. Ctrl-C in the terminal then reaches only the harness, and the whole
// group can be killed.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitAgain is the time after which awaitEnd retries if the kernel lacks memory or descriptors.
const awaitAgain = 100 * time.Millisecond

// awaitEnd waits for the end of a child without reaping it.
func awaitEnd(pid int) {
	for !ended(pid) {
		time.Sleep(awaitAgain)
	}
}

// ended waits for the end of a child. It returns false if it cannot wait.
func ended(pid int) bool {
	queue, err := unix.Kqueue()
	if err != nil {
		return false
	}
	defer unix.Close(queue)
	watch, told := make([]unix.Kevent_t, 1), make([]unix.Kevent_t, 1)
	unix.SetKevent(&watch[0], pid, unix.EVFILT_PROC, unix.EV_ADD)
	watch[0].Fflags = unix.NOTE_EXIT
	for {
		n, err := unix.Kevent(queue, watch, told, nil)
		switch {
		case n > 0:
			return told[0].Flags&unix.EV_ERROR == 0 || told[0].Data == int64(unix.ESRCH) // it ended before the watch
		case !errors.Is(err, unix.EINTR):
			return errors.Is(err, unix.ESRCH)
		}
	}
}
