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

// How long the kernel may take to end what was killed, and how often to look.
const (
	groupGrace = time.Second
	groupLook  = 2 * time.Millisecond
)

// awaitGroup waits until no process of a group that was killed is left, for a moment at most: where nobody reaps
// orphans their remains stay.
func awaitGroup(pid int) {
	for waited := time.Duration(0); waited < groupGrace && unix.Kill(-pid, 0) == nil; waited += groupLook {
		time.Sleep(groupLook)
	}
}

// describeExit says how a process ended.
func describeExit(s *os.ProcessState) string {
	w, ok := s.Sys().(syscall.WaitStatus)
	if ok && w.Signaled() {
		return fmt.Sprintf("was killed by signal %d (%v)", int(w.Signal()), w.Signal())
	}
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
