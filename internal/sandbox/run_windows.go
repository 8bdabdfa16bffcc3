package sandbox

import (
	"context"
	"os/exec"
)

// prepare returns the command itself: there are neither limits of the system nor process groups.
func (b Box) prepare(ctx context.Context, c Command, _ Limits, in room) (*exec.Cmd, failure, error) {
	cmd, err := b.plain(ctx, c, in)
	return cmd, failure{}, err
}

func killGroup(int) {}
