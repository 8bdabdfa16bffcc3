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

// goalFlags describes the system of a planned submission, given by flags or by a workspace.
type goalFlags struct {
	Workspace string
	System    string        // system in the workspace; empty: all its systems have the same type
	asked     bench.Request // only its system type is used
}

// Add adds the flags.
func (g *goalFlags) Add(c *cobra.Command) {
	AddWorkspaceFlag(c, &g.Workspace)
	shell.AddFlags(c.Flags(), &g.asked, "system-type")
}

// ApplyGoal sets the system type of a request, from the flags or the workspace. If the request has no division, it sets
// the workspace's.
func (g *goalFlags) ApplyGoal(c *cobra.Command, r *bench.Request) error {
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

// PrintLeftOut prints the runs that are left out, with the reasons.
func PrintLeftOut(w io.Writer, left []string) {
	for _, text := range left {
		fmt.Fprintln(w, "left out: "+text)
	}
}

// AddWorkspaceFlag adds the flag for the folder of a submission's workspace.
func AddWorkspaceFlag(c *cobra.Command, dir *string) {
	c.Flags().StringVar(dir, "workspace", "submission", "workspace `DIR` of the submission")
}
