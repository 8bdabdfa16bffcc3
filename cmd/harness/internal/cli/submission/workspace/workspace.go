// Package workspace contains the steps of harness submission up to a tree: the workspace, the necessary runs, and the
// tree made from them.
package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// app is one execution of a command in this package.
type app struct {
	*shell.App
	check func(ctx context.Context, tree, rules string) error
}

// Commands returns run, init, add, remove and build. check is submission check for a tree and the rules of a round; run
// calls it last.
func Commands(
	s *shell.App, f *shell.PluginFlags, check func(ctx context.Context, tree, rules string) error,
) []*cobra.Command {
	a := &app{s, check}
	run := a.runCommand(f)
	shell.MarkPluginCommand(run)
	return []*cobra.Command{run, a.initCommand(), a.addCommand(), a.removeCommand(), a.buildCommand()}
}
