//go:build unix

package host

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup kills every process of the group that pid leads.
func killGroup(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// endGroup asks every process of the group that pid leads to end.
func endGroup(pid int) { _ = unix.Kill(-pid, unix.SIGTERM) }

// describeExit says how a process ended.
func describeExit(s *os.ProcessState) string {
	w, ok := s.Sys().(syscall.WaitStatus)
	if ok && w.Signaled() {
		return fmt.Sprintf("was killed by signal %d (%v)", int(w.Signal()), w.Signal())
	}
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
