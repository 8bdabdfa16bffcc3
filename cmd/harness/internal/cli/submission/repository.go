package submission

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/sdk"
)

const repositoryHelp = `List what the submissions' repository does not accept in a tree: files above 50 MiB,
symbolic links, hidden files and folders, blanks in names. harness submission check reports
these too.

  harness submission repository TREE

The exit code is 3 if there are any. --compatible prints the text of the official script and, like the script, exits
with 0.`

func (a *app) repositoryCommand() *cobra.Command {
	var compatible bool
	c := &cobra.Command{
		Use: "repository TREE", Short: "List files that the submissions' repository refuses", Long: repositoryHelp,
		Args: shell.RequireOneArgument("the folder with closed, network or open"),
		RunE: func(_ *cobra.Command, args []string) error {
			if compatible {
				text, err := repository.OfficialText(args[0])
				fmt.Fprint(a.Stdout, text)
				return sdk.Data(err)
			}
			return a.findInRepository(args[0])
		},
	}
	c.Flags().BoolVar(&compatible, compatibleFlag, false, "print the text of the official script")
	return c
}

func (a *app) findInRepository(root string) error {
	t, err := tree.Open(root, "")
	if err != nil {
		return classifyTreeError(err)
	}
	defer t.Close()
	unread := t.Unread()
	all := repository.FindAllFaults(t)
	for _, f := range all {
		fmt.Fprintln(a.Stdout, f.Error())
	}
	switch {
	case len(unread) > 0:
		return sdk.Data(errors.Join(unread...))
	case len(all) > 0:
		fmt.Fprintln(a.Stdout, figure.Plural(len(all), "finding"))
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	_, err = fmt.Fprintln(a.Stdout, "nothing that the repository would not take")
	return err
}
