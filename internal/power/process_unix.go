//go:build unix

package power

import (
	"os"
	"syscall"
)

// endGroup tells the processes of the command to end.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup ends the processes of the command.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
