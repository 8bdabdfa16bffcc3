//go:build unix && !linux

package sandbox

import (
	"context"
	"os/exec"
	"syscall"
)

// prepare returns the command itself: the limits of the system are set on Linux alone.
func (b Box) prepare(ctx context.Context, c Command, _ Limits, in room) (*exec.Cmd, failure, error) {
	cmd, err := b.plain(ctx, c, in)
	if err != nil {
		return nil, failure{}, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	return cmd, failure{}, nil
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may have ended
