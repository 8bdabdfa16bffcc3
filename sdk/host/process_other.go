//go:build !unix

package host

import (
	"fmt"
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// awaitEnd does nothing: exec.Cmd.Wait waits.
func awaitEnd(int) {}

// killGroup kills the process.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// awaitGroup does nothing: there are no groups.
func awaitGroup(int) {}

func endGroup(pid int) { killGroup(pid) }

func describeExit(s *os.ProcessState) string {
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
