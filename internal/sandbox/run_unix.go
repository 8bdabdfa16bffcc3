//go:build unix && !linux

package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// Supported says whether this system has name spaces that the package knows how to make.
const Supported = false

// prepare returns the command itself: the limits of the system are set on Linux alone.
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

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may have ended
