//go:build !unix

package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// Supported reports whether the package can create namespaces on this system.
const Supported = false

func (b Box) prepare(context.Context, Command, Limits, room) (*exec.Cmd, failure, error) {
	return nil, failure{}, fmt.Errorf("%w: programs run on Linux, with sandbox=weak on other Unix systems, and this is %s",
		ErrRefused, runtime.GOOS)
}

func refusal(err error) error { return err }

func killGroup(int) {}
