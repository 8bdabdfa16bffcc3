//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts a child into a process group of its own, so that Ctrl-C at the terminal reaches the harness alone and
// the group can be killed as a whole.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitEnd returns when a child has ended, and does not reap it.
func awaitEnd(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	watch := make([]unix.Kevent_t, 1)
	unix.SetKevent(&watch[0], pid, unix.EVFILT_PROC, unix.EV_ADD)
	watch[0].Fflags = unix.NOTE_EXIT
	for {
		n, err := unix.Kevent(queue, watch, make([]unix.Kevent_t, 1), nil)
		if n > 0 || !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
