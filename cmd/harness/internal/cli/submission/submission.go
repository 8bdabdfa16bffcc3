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

// app is one execution.
type app struct{ *shell.App }

const help = `Make a submission from runs, step by step (docs/submission.md). Only run starts plugins.

  harness submission init --submitter Lab --system-type edge
  harness submission add out
  harness submission build && harness submission check tree`

// Command is submission: it holds the steps of a submission.
func Command(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	c := &cobra.Command{
		Use: "submission", Short: "Make a submission from runs, check it, print its results", Long: help,
		Args: func(c *cobra.Command, args []string) error { return shell.UnknownCommand(c, args) },
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

// compatibleFlag is the flag of commands that can do as the official tools do.
const compatibleFlag = "compatible"

// roundFlag is the flag that chooses the rules of a tree; use says what they are for, and purpose which rounds do.
func roundFlag(flags *pflag.FlagSet, round *string, use string, purpose mlconf.Purpose) {
	flags.StringVar(round, "rules", "", use+": "+strings.Join(tree.Rounds(purpose), ", ")+" (default the newest)")
}

// foundRoundFlag is that of commands which find the round by the logs.
func foundRoundFlag(flags *pflag.FlagSet, round *string, purpose mlconf.Purpose) {
	flags.StringVar(round, "rules", "", "`ROUND` of the rules: "+strings.Join(tree.Rounds(purpose), ", ")+
		" (default that of the logs)")
}

// roundOf is the round of a tree: the one that is given, or else that of its logs, and where they do not say it the
// newest. A round that is not the newest, or not known, is said.
func (a *app) roundOf(root, given string) (round string, err error) {
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
		return "", ofTree(fmt.Errorf("%w%s", err, severalTrees(root)))
	case found.Name != newest:
		fmt.Fprintln(a.Stderr, found)
	}
	return found.Name, nil
}

// ofTree classes the error of a command on a tree: that there is none, or none of one round, is wrong
// usage, all else is what the tree holds.
func ofTree(err error) error {
	if errors.Is(err, tree.ErrNoSubmission) || errors.Is(err, tree.ErrOpen) || errors.Is(err, tree.ErrRound) {
		return sdk.Usage(err)
	}
	return sdk.Data(err)
}

// hasSubmission is an error unless a tree has a submission, of this submitter if one is named.
func hasSubmission(root, round, submitter string) error {
	t, err := tree.Open(root, round)
	if err != nil {
		return sdk.Usage(err)
	}
	defer t.Close()
	_, err = t.ChooseSubmitters(submitter)
	return ofTree(err)
}
