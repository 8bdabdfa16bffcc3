// Package submission implements harness submission, the steps from runs to a submission.
package submission

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/workspace"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const submissionHelp = `Make a submission from runs, step by step (docs/submission.md). Only run starts plugins.

  harness submission init --submitter Lab --system-type edge
  harness submission add out
  harness submission build && harness submission check tree`

// Command returns harness submission with the steps of a submission as subcommands.
func Command(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	c := &cobra.Command{
		Use: "submission", Short: "Make a submission from runs, check it, print its results", Long: submissionHelp,
		Args: func(c *cobra.Command, args []string) error { return shell.RejectUnknownCommand(c, args) },
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(workspace.Commands(s, f, func(ctx context.Context, tree, rules string) error {
		return a.checkSubmission(ctx, tree, &checkFlags{rules: rules})
	})...)
	c.AddCommand(
		a.truncateCommand(),
		a.repositoryCommand(), a.prepareCommand(), a.resultsCommand(),
		a.reportCommand(), a.checkCommand(), a.reviewCommand(), a.packCommand(),
		curves.PlanCommand(s), curves.SteadyCommand(s),
	)
	return c
}

// compatibleFlag is the flag that makes a command behave like the official tool.
const compatibleFlag = "compatible"

// addRoundFlag adds the flag for the rules of a tree. use describes the flag, and purpose selects the rounds that
// support it.
func addRoundFlag(flags *pflag.FlagSet, round *string, use string, purpose mlconf.Purpose) {
	flags.StringVar(round, "rules", "", use+": "+strings.Join(tree.Rounds(purpose), ", ")+" (default the newest)")
}

// addFoundRoundFlag is roundFlag for commands that find the round in the logs.
func addFoundRoundFlag(flags *pflag.FlagSet, round *string, purpose mlconf.Purpose) {
	flags.StringVar(round, "rules", "", "`ROUND` of the rules: "+strings.Join(tree.Rounds(purpose), ", ")+
		" (default that of the logs)")
}

// findRound returns the round of a tree: given, or the round in its logs, or else the newest. It prints a note if the
// round is unknown or not the newest.
func (a *app) findRound(root, given string) (round string, err error) {
	if given != "" {
		return given, nil
	}
	newest := tree.Rounds(mlconf.ToMake)[0]
	found, err := tree.FindRound(root)
	switch {
	case errors.Is(err, tree.ErrRound):
		fmt.Fprintf(a.Stderr, "%v; the rules are those of %s, the newest\n", err, newest)
		return newest, nil
	case err != nil:
		return "", classifyTreeError(fmt.Errorf("%w%s", err, severalTrees(root)))
	case found.Name != newest:
		fmt.Fprintln(a.Stderr, found)
	}
	return found.Name, nil
}

// classifyTreeError sets the exit code for an error of a tree: wrong usage if there is no tree or no tree of one round,
// otherwise wrong data.
func classifyTreeError(err error) error {
	if errors.Is(err, tree.ErrNoSubmission) || errors.Is(err, tree.ErrOpen) || errors.Is(err, tree.ErrRound) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// requireSubmission returns an error unless the tree contains a submission, of this submitter if it is not empty.
func requireSubmission(root, round, submitter string) error {
	t, err := tree.Open(root, round)
	if err != nil {
		return sdk.Usage(err)
	}
	defer t.Close()
	_, err = t.ChooseSubmitters(submitter)
	return classifyTreeError(err)
}
