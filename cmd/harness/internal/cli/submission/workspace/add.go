package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/sdk"
)

const addHelp = `Add runs to the submission: the output directories of harness run and harness audit. The command
records them with the checksums of their logs; building the tree reads them. They are not changed. Either all runs are
added or none.

  harness submission add out                                a run, with its accuracy and its audits
  harness submission add runs/*                             many
  harness submission add out/resnet50                       one model's
  harness submission add out --only Offline,SingleStream    only some scenarios
  harness submission add out --benchmark bert-99.9          use the higher accuracy target
  harness submission add out --division open                another division than the system's
  harness submission add out --replace                      replace earlier runs of the same results

Runs that the round does not include for this type of system are left out and listed. INVALID runs, failed audits and
other runs that cannot be submitted, such as those of Plumbline's own LoadGen, smoke settings or a plugin's embedded
model, are refused. --rehearsal accepts and marks them, but harness submission check rejects the tree. harness
submission remove removes runs.`

func (a *app) addCommand() *cobra.Command {
	var dir string
	var o assemble.AddOptions
	c := &cobra.Command{
		Use: "add RUNDIR...", Short: "Add runs to the submission", Long: addHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("the output directory of a run is missing; see %s --help", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if isEndpointsWorkspace(dir, "") {
				return a.addEndpoints(c.Context(), dir, args, o, c.Flags())
			}
			return a.addFolders(c.Context(), dir, args, o)
		},
	}
	runs.AddWorkspaceFlag(c, &dir)
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.System, "system", "", "`NAME` of the system that ran (default: the only one)")
	flags.StringVar(&o.Division, "division", "", "closed, open or network (default: that of the system)")
	flags.StringVar(&o.Benchmark, "benchmark", "",
		"`NAME` of the benchmark's folder (default: the rules' name of the\nmodel); any name in the open division")
	flags.StringSliceVar(&o.OnlyScenarios, "only", nil, "add only the runs of these `SCENARIOS`")
	flags.BoolVar(&o.Replace, "replace", false, "replace runs that were added for the same result")
	flags.BoolVar(&o.Rehearsal, "rehearsal", false, "accept and mark runs that cannot be submitted")
	return c
}

func (a *app) addFolders(ctx context.Context, dir string, folders []string, o assemble.AddOptions) error {
	var open []assemble.Unfilled
	err := assemble.UpdateWorkspace(ctx, dir, func(w *assemble.Workspace) error {
		o.Now = a.Now()
		added, err := w.Add(folders, o)
		if err != nil {
			return err
		}
		for _, r := range added.Results {
			fmt.Fprintf(a.Stdout, "%v  from %s\n", r, r.Out)
		}
		runs.PrintLeftOut(a.Stdout, added.Skipped)
		a.printMarks(added.Results)
		open, err = w.OpenFields()
		return err
	})
	if err != nil {
		return sdk.Usage(err)
	}
	return listUnfilled(a.Stdout, dir, open)
}

const removeHelp = `Remove runs from the submission, by the name that harness submission add prints, or a part of it.
Their files are not changed.

  harness submission remove Server                        all runs of a scenario
  harness submission remove resnet/Offline/TEST01         an audit
  harness submission remove open/box                      the runs of a system in a division`

func (a *app) removeCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "remove NAME...", Short: "Remove runs from the submission", Long: removeHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("the name of a run is missing; see %s --help", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if isEndpointsWorkspace(dir, "") {
				return a.removeEndpoints(c.Context(), dir, args)
			}
			return sdk.Usage(assemble.UpdateWorkspace(c.Context(), dir, func(w *assemble.Workspace) error {
				removed, err := w.Remove(args)
				for _, r := range removed {
					fmt.Fprintf(a.Stdout, "removed: %v  from %s\n", r, r.Out)
				}
				return err
			}))
		},
	}
	runs.AddWorkspaceFlag(c, &dir)
	return c
}

// printMarks prints why added runs may not be submitted.
func (a *app) printMarks(results []assemble.Result) {
	seen := map[string]bool{}
	for _, r := range results {
		for _, mark := range r.Marks {
			if !seen[mark] {
				seen[mark] = true
				fmt.Fprintln(a.Stdout, "marked, not to be submitted: "+strings.TrimSpace(mark))
			}
		}
	}
}
