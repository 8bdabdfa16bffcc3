package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
)

// goalFlags say for what system runs are to be submitted: in words, or by a workspace within reach.
type goalFlags struct {
	Workspace string
	System    string        // in the workspace; empty: all that it has are alike
	asked     bench.Request // its type of system alone
}

// Add adds the flags.
func (g *goalFlags) Add(c *cobra.Command) {
	WorkspaceFlag(c, &g.Workspace)
	shell.Some(c.Flags(), &g.asked, "system-type")
}

// Settle gives a request the type of system, and where it names none the division, of the workspace within reach.
func (g *goalFlags) Settle(c *cobra.Command, r *bench.Request) error {
	asked := string(g.asked.Rules.SystemType)
	var stated assemble.Goal
	w, err := assemble.OpenWorkspace(g.Workspace)
	switch {
	case errors.Is(err, assemble.ErrNoWorkspace) && !c.Flags().Changed("workspace"):
	case err != nil:
		return err
	default:
		if stated, err = w.Goal(g.System); err != nil && asked == "" {
			return err
		}
	}
	if r.Rules.SystemType = stated.SystemType; asked != "" {
		if r.Rules.SystemType, err = mlconf.ParseSystemType(asked); err != nil {
			return fmt.Errorf("--system-type: %w", err)
		}
	}
	r.Rules.Division = cmp.Or(r.Rules.Division, stated.Division)
	return nil
}

// SayLeft says what is not run, and why.
func SayLeft(w io.Writer, left []string) {
	for _, text := range left {
		fmt.Fprintln(w, "left out: "+text)
	}
}

// WorkspaceFlag names the folder of a submission in the making.
func WorkspaceFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "workspace", "submission", "workspace `DIR` of the submission")
}
