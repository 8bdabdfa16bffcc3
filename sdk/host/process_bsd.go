//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup puts a child into a process group of its own, so that Ctrl-C at the terminal reaches the harness alone and
// the group can be killed as a whole.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitAgain is after how long awaitEnd tries again where the kernel has no memory or no descriptor to tell it.
const awaitAgain = 100 * time.Millisecond

// awaitEnd returns when a child has ended, and does not reap it.
func awaitEnd(pid int) {
	for !ended(pid) {
		time.Sleep(awaitAgain)
	}
}

// ended waits for the end of a child, and reports false where it cannot.
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
			return told[0].Flags&unix.EV_ERROR == 0 || told[0].Data == int64(unix.ESRCH) // ended before it was watched
		case !errors.Is(err, unix.EINTR):
			return errors.Is(err, unix.ESRCH)
		}
	}
}
