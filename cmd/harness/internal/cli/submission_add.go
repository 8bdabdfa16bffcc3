package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/submission/build"
)

const submissionAddHelp = `Take runs into the submission: the output directories of harness run and harness audit. They
are noted with the checksums of their logs, and read when the tree is built; nothing in them is
changed. Either all are taken or none.

  harness submission add out                                a run, with its accuracy and its audits
  harness submission add runs/*                             many
  harness submission add out --benchmark bert-99.9          for the higher target
  harness submission add out --replace                      in the place of what was added before

INVALID runs are refused, and so is whatever cannot be submitted: runs of Plumbline's own LoadGen,
settings for seconds, a plugin's embedded model. To try the way out, those are taken with the flags
below, and marked: harness submission check rejects the tree.`

func (a *app) submissionAddCommand() *cobra.Command {
	var dir string
	var o build.AddOptions
	c := &cobra.Command{
		Use: "add RUNDIR...", Short: "Take runs into the submission", Long: submissionAddHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s: the output directory of a run is missing; see %s --help", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.submissionAdd(dir, args, o) },
	}
	workspaceFlag(c, &dir)
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.System, "system", "", "the `NAME` of the system that ran (default: the only one there is)")
	flags.StringVar(&o.Benchmark, "benchmark", "",
		"the `NAME` of the benchmark's folder (default: the rules' name of\nthe model); free in the open division")
	flags.BoolVar(&o.Replace, "replace", false, "put the runs in the place of those that were added for the same result")
	flags.BoolVar(&o.AllowRehearsal, "allow-rehearsal", false, "take runs of Plumbline's own LoadGen, marked")
	flags.BoolVar(&o.AllowSmoke, "allow-smoke", false, "take runs under other settings than the rules', marked")
	flags.BoolVar(&o.AllowEmbedded, "allow-embedded", false, "take runs of embedded models or data, marked")
	return c
}

func (a *app) submissionAdd(dir string, folders []string, o build.AddOptions) error {
	w, err := build.OpenWorkspace(dir)
	if err != nil {
		return sdk.Usage(err)
	}
	o.Now = a.Now()
	added, err := w.Add(folders, o)
	if err != nil {
		return sdk.Usage(err)
	}
	for _, r := range added.Results {
		fmt.Fprintf(a.Stdout, "%v  from %s\n", r, r.Out)
	}
	for _, text := range added.Skipped {
		fmt.Fprintln(a.Stdout, "left out: "+text)
	}
	a.printMarks(added.Results)
	open, err := w.Open()
	return errors.Join(sdk.Data(err), listUnfilled(a.Stdout, dir, open))
}

// printMarks says why what was added may not be submitted.
func (a *app) printMarks(results []build.Result) {
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
