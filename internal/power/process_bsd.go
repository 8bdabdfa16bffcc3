//go:build unix && !linux

package power

import "syscall"

// ownGroup puts the command into a process group of its own, which Ctrl-C does not reach.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
