package host

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup puts a child into its own process group. Ctrl-C in the terminal then reaches only the harness, and the whole
// group can be killed. The kernel signals the child when the harness dies, even before the child itself watches for it.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// awaitEnd waits for the end of a child without reaping it, so its id stays in use until its group is killed.
func awaitEnd(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
