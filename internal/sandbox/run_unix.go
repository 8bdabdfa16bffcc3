//go:build unix && !linux

package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// Supported reports whether the package can create namespaces on this system.
const Supported = false

// prepare returns the command itself. Limits of the system are only set on Linux.
func (b Box) prepare(ctx context.Context, c Command, _ Limits, in room) (*exec.Cmd, failure, error) {
	if !b.Weak {
		return nil, failure{}, fmt.Errorf("%w: there is one for Linux only, and this is %s", ErrRefused, runtime.GOOS)
	}
	if err := closeOnExec(); err != nil {
		return nil, failure{}, err
	}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env, cmd.Dir = in.env(c.Env), string(in)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { killGroup(cmd.Process.Pid); return nil }
	return cmd, failure{}, nil
}

func refusal(err error) error { return err }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // the group may already have ended
