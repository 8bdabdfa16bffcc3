package power

import "syscall"

// ownGroup puts the command into a process group of its own, which Ctrl-C does not reach, and lets it end with the
// harness, however that ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
