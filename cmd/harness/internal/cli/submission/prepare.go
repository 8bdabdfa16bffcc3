package submission

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	officialprepare "github.com/plumbline-ml/plumbline/internal/submission/official/prepare"
	"github.com/plumbline-ml/plumbline/internal/submission/prepare"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const prepareHelp = `Make a completed copy of a submission's tree. In the closed and network divisions it copies results
that edge systems may infer to the scenarios that were not measured, and results of a 99.9 % accuracy target to the 99 %
one if that is missing. Folders in lower case get the rules' names. It lists every copy with its reason, and the results
that must be measured. It does not judge, remove or move results to the open division.

  harness submission prepare TREE --out NEW
  harness submission prepare TREE --out NEW --compatible --version v6.1   as the official tool

With --compatible it behaves like the official preprocessing: it judges each result by the rules of
the previous official checker, removes failed results or moves them to the open division, and infers into
folders in lower case. It does not run the power working group's checker.`

// prepareFlags contains the flags of submission prepare.
type prepareFlags struct {
	prepare.Options
	out        string
	compatible bool
	official   officialprepare.Options
}

// officialSwitches returns the flags that only the official tool has.
func officialSwitches() []string {
	return []string{"noinfer-low-accuracy-results", "noinfer-scenario-results", "nodelete-empty-dirs",
		"nomove-failed-to-open", "nodelete-failed", "keep-structure", "extra-model-benchmark-map", "version"}
}

func (a *app) prepareCommand() *cobra.Command {
	f := &prepareFlags{}
	c := &cobra.Command{
		Use: "prepare TREE", Short: "Copy a tree and add results that may be inferred", Long: prepareHelp,
		Args: shell.RequireOneArgument("the folder with closed, network or open"),
		RunE: func(c *cobra.Command, args []string) error {
			given := shell.FirstChanged(c, officialSwitches()...)
			switch {
			case f.out == "":
				return sdk.Usage(errors.New("--out NEW is missing: a folder for the new tree, which must not exist"))
			case given != "" && !f.compatible:
				return sdk.Usage(fmt.Errorf("--%s goes with --compatible only", given))
			case f.compatible && f.Round != "":
				return sdk.Usage(errors.New("--rules does not go with --compatible: the official tool knows --version"))
			case f.compatible:
				return a.prepareOfficially(args[0], f)
			}
			return a.prepareTree(c.Context(), args[0], f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.out, "out", "", "`FOLDER` of the new tree, which must not exist")
	flags.StringVar(&f.Submitter, "submitter", "", "only the folders of this `SUBMITTER`")
	addRoundFlag(flags, &f.Round, "the `ROUND` of the rules", mlconf.ToMake)
	flags.StringVar(&f.official.Round, "version", "", "with --compatible: the `ROUND` of the rules (required)")
	flags.BoolVar(&f.compatible, compatibleFlag, false, "do exactly what the official tool does")
	o := &f.official
	for i, to := range []*bool{&o.NoLowAccuracy, &o.NoScenarios, &o.KeepEmptyDirs, &o.NoMoveToOpen, &o.NoDeleteFailed,
		&o.KeepStructure} {
		flags.BoolVar(to, officialSwitches()[i], false, "with --compatible: as the official tool's")
	}
	flags.StringVar(&o.ModelMapping, "extra-model-benchmark-map", "",
		"with --compatible: `NAME` of the file with an open submitter's models")
	return c
}

func (a *app) prepareTree(ctx context.Context, root string, f *prepareFlags) error {
	if _, err := tree.LayoutFor(f.Round, mlconf.ToMake); err != nil {
		return sdk.Usage(err)
	}
	defer a.BeginTidying()()
	plan, err := prepare.CompleteTree(ctx, root, f.out, f.Options)
	switch {
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	case err != nil:
		return classifyTreeError(err)
	}
	for _, s := range plan.Steps {
		what := "copied "
		if s.Rename {
			what = "renamed"
		}
		fmt.Fprintf(a.Stdout, "%s  %s\n     to  %s\n         %s\n", what, s.From, s.To, s.Why)
	}
	for _, m := range plan.Missing {
		fmt.Fprintf(a.Stdout, "missing  %s\n", m)
	}
	if len(plan.Steps)+len(plan.Missing) == 0 {
		fmt.Fprintln(a.Stdout, "nothing was to be completed")
	}
	_, err = fmt.Fprintln(a.Stdout, "new tree in", f.out)
	return err
}

// prepareOfficially behaves like the official tool and prints its output.
func (a *app) prepareOfficially(root string, f *prepareFlags) error {
	o := f.official
	o.Input, o.Output, o.Submitter = root, f.out, f.Submitter
	lines, err := officialprepare.PrepareTree(o)
	for _, l := range lines {
		to := a.Stderr
		if l.IsPrinted() {
			to = a.Stdout
		}
		fmt.Fprintln(to, l)
	}
	if err != nil && !errors.Is(err, officialprepare.ErrOutputExists) {
		fmt.Fprintf(a.Stderr, "harness: %v: the official tool ends here with a traceback\n", err)
	}
	return shell.OfficialExitError(err != nil)
}
