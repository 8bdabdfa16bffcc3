package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const buildHelp = `Make the tree of a submission from a workspace: the folder to check, pack and send. The folder
appears under its name once it is complete.

  harness submission build --rules v6.1 --out tree
  harness submission build --rules v6.1 --out tree --dry-run      only list the files and their origins

Accuracy logs are truncated; the workspace keeps the whole logs under their checksums. Required results that were not
measured are inferred if the rules allow it for edge systems, and X-99 gets the results of X-99.9 if it has none. Each
inference is listed with its reason; measured results are never replaced. TREE.files.json, next to the tree, lists every
file's origin. Use harness submission check to check the tree.`

// buildFlags contains the flags of submission build.
type buildFlags struct {
	assemble.PlanOptions
	workspace, out string
	force, dryRun  bool
}

func (a *app) buildCommand() *cobra.Command {
	f := &buildFlags{}
	c := &cobra.Command{
		Use: "build", Short: "Make the tree of a submission from the added runs", Long: buildHelp,
		Args: shell.RejectArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if isEndpointsWorkspace(f.workspace, f.Rules) {
				return a.buildEndpoints(c.Context(), f, c.Flags())
			}
			return a.buildTree(c.Context(), f)
		},
	}
	runs.AddWorkspaceFlag(c, &f.workspace)
	flags := c.Flags()
	flags.SortFlags = false
	rounds := tree.Rounds(mlconf.ToMake)
	flags.StringVar(&f.Rules, "rules", "", "the `ROUND`, "+rounds[len(rounds)-1]+" to "+rounds[0]+
		", of the layout (default: that of the runs)")
	flags.StringVar(&f.out, "out", "tree", "the `DIR` of the tree")
	flags.BoolVar(&f.force, "force", false, "replace an existing tree")
	flags.BoolVar(&f.dryRun, "dry-run", false, "list every file with its origin, and write nothing")
	flags.BoolVar(&f.NoInfer, "no-infer", false, "do not infer results from other scenarios")
	flags.BoolVar(&f.NoLower, "no-low-accuracy", false, "do not copy results of X-99.9 to X-99")
	flags.BoolVar(&f.AllowUnfilled, "allow-unfilled", false,
		"leave FILL IN in the tree; harness submission check rejects it")
	return c
}

func (a *app) buildTree(ctx context.Context, f *buildFlags) error {
	w, err := assemble.OpenWorkspace(f.workspace)
	if err != nil {
		return sdk.Usage(err)
	}
	p, err := w.NewPlan(f.PlanOptions)
	if err != nil {
		return sdk.Usage(err)
	}
	if f.dryRun {
		for _, file := range p.Files {
			fmt.Fprintf(a.Stdout, "%s\n    %s\n", file.Path, file.Origin)
		}
		return a.printDerived(p)
	}
	defer a.BeginTidying()()
	done, err := p.Write(ctx, f.out, f.force)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return sdk.Usage(err)
	}
	fmt.Fprintf(a.Stdout, "%s: %s of rules %s, %s division\n", done.Out, figure.Plural(done.Files, "file"), p.Layout.Round,
		strings.Join(p.Divisions, " and "))
	fmt.Fprintf(a.Stdout, "%s: where each comes from\n", done.Listing)
	return a.printDerived(p)
}

// printDerived lists the runs that are left out, the copied results, and what the rules require but is missing.
func (a *app) printDerived(p *assemble.Plan) error {
	runs.PrintLeftOut(a.Stdout, p.LeftOut)
	for _, d := range p.Derived {
		fmt.Fprintf(a.Stdout, "%s\n    copy of %s; %s\n", d.Place, d.From, d.Reason)
	}
	for _, missing := range p.Missing {
		fmt.Fprintln(a.Stdout, "missing: "+missing)
	}
	for _, u := range p.OpenFields {
		fmt.Fprintln(a.Stdout, "not filled in: "+u.String())
	}
	for _, lacking := range p.OptionalMissing {
		fmt.Fprintln(a.Stdout, "warning: "+lacking)
	}
	return nil
}
