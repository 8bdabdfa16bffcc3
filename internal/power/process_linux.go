package power

import "syscall"

// ownGroup puts the command into a new process group, so that Ctrl-C does not reach it. The kernel ends the command if
// the harness ends in any way.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
