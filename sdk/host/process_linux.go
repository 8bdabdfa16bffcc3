package host

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts a child into a process group of its own, so that Ctrl-C at the terminal reaches the harness alone and
// the group can be killed as a whole. When the harness dies the child is told to end, also before it watches for that.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// awaitEnd waits for the end of a child without reaping it: its id stays taken until its group is killed.
func awaitEnd(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
