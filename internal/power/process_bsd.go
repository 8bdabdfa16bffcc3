//go:build unix && !linux

package power

import "syscall"

// ownGroup puts the command into a new process group, so that Ctrl-C does not reach it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
