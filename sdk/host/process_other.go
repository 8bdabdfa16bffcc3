//go:build !unix

package host

import (
	"fmt"
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// awaitEnd waits for the end of a child with its own handle. The id stays in use while exec.Cmd holds another handle.
func awaitEnd(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_, _ = p.Wait()
	}
}

// killGroup kills the process.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// awaitGroup does nothing, because this system has no process groups.
func awaitGroup(int) {}

func endGroup(pid int) { killGroup(pid) }

func describeExit(s *os.ProcessState) string {
	return fmt.Sprintf("exited with status %d", s.ExitCode())
}
