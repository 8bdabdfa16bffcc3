//go:build unix

package host

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killGroup kills every process of the group that pid leads.
func killGroup(pid int) { _ = unix.Kill(-pid, unix.SIGKILL) }

// endGroup asks every process of the group that pid leads to end.
func endGroup(pid int) { _ = unix.Kill(-pid, unix.SIGTERM) }

// Maximum time that the kernel takes to end killed processes, and the time between checks.
const (
	groupGrace = time.Second
	groupLook  = 2 * time.Millisecond
)

// awaitGroup waits until a killed group has no processes. It waits only briefly, because zombies remain if no process
// reaps orphans.
func awaitGroup(pid int) {
	for waited := time.Duration(0); waited < groupGrace && unix.Kill(-pid, 0) == nil; waited += groupLook {
		time.Sleep(groupLook)
	}
}

// describeExit describes how a process ended.
func describeExit(s *os.ProcessState) string {
	w, ok := s.Sys().(syscall.WaitStatus)
	if ok && w.Signaled() {
		return fmt.Sprintf("was killed by signal %d (%v)", int(w.Signal()), w.Signal())
	}
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
