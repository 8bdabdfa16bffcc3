//go:build !linux

package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// Supported says whether this system has name spaces that the package knows how to make.
const Supported = false

func (b Box) plain(ctx context.Context, c Command, in room) (*exec.Cmd, error) {
	if !b.Weak {
		return nil, fmt.Errorf("%w: there is one for Linux only, and this is %s", ErrRefused, runtime.GOOS)
	}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Env, cmd.Dir = in.env(c.Env), string(in)
	return cmd, nil
}

func refusal(err error) error { return err }
