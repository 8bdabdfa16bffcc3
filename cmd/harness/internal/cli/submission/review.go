package submission

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/review"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const reviewHelp = `Review the submissions of a round. Findings that need action are listed by kind and submitter,
with both values and both files; faults of files and forms, warnings and notes are summarised below. The findings are
those of harness submission check. The seeds of the logs identify the round.

  harness submission review TREE                     all submitters of a round
  harness submission review TREE/closed/Lab          one submitter, like --submitter Lab
  harness submission review TREE --against OTHER     compare each system with another round's tree
  harness submission review TREE --pages DIR         a page to send to each submitter
  harness submission review TREE --html FILE         all of it as one page
  harness submission review TREE --json              for programs, with every finding

The exit code is 0 if no finding needs action, 3 if one does or files and forms are rejected, 2 if there is no
submission or the round is unknown.`

// reviewFlags contains the flags of submission review.
type reviewFlags struct {
	rules, submitter, against string
	html, pages               string
	json                      bool
}

func (a *app) reviewCommand() *cobra.Command {
	f := &reviewFlags{}
	c := &cobra.Command{
		Use: "review TREE", Short: "List findings that a reviewer must act on", Long: reviewHelp,
		Args: shell.RequireOneArgument("the folder of submissions"),
		RunE: func(c *cobra.Command, args []string) error { return a.reviewTree(c.Context(), args[0], f) },
	}
	flags := c.Flags()
	flags.StringVar(&f.rules, "rules", "", "`ROUND` of the rules: "+
		strings.Join(tree.Rounds(mlconf.ToCheck), ", ")+" (default that of the logs)")
	flags.StringVar(&f.submitter, "submitter", "", "only findings of this `SUBMITTER`")
	flags.StringVar(&f.against, "against", "", "compare with the `TREE` of another round")
	flags.BoolVar(&f.json, "json", false, "print the review as JSON")
	flags.StringVar(&f.html, "html", "", "also write a page to `FILE`")
	flags.StringVar(&f.pages, "pages", "", "also write a page for each submitter with findings to `DIR`")
	return c
}

func (a *app) reviewTree(ctx context.Context, dir string, f *reviewFlags) error {
	r, err := openRound(dir, f.rules)
	if err != nil {
		return err
	}
	defer r.Close()
	scope := review.Scope{Submitter: f.submitter, Folder: r.folder}
	if _, err := r.ChooseSubmitters(f.submitter); err != nil {
		return classifyTreeError(err)
	}
	var other *treeRound
	if f.against != "" {
		if other, err = openRound(f.against, ""); err != nil {
			return fmt.Errorf("--against: %w", err)
		}
		defer other.Close()
	}
	report, err := a.checkTree(ctx, r.Tree, check.Options{})
	if err != nil {
		return err
	}
	found := review.Make(report, scope)
	if found.Results == 0 {
		return sdk.Usage(fmt.Errorf("no result in %s: want DIVISION/SUBMITTER/results/SYSTEM/BENCHMARK/SCENARIO", dir))
	}
	if other != nil {
		if found.Against, err = review.Compare(ctx, r.Tree, report, other.Tree, scope); err != nil {
			return sdk.Data(err)
		}
	}
	if err := a.writeReviewPages(report, found, f); err != nil {
		return err
	}
	if f.json {
		err = shell.WriteUnescapedJSON(a.Data, found)
	} else if _, err = fmt.Fprintf(a.Stdout, "%s\n\n", r.roundText); err == nil {
		err = found.WriteText(a.Stdout)
	}
	if err == nil && !found.Clean() {
		err = &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return err
}

// writeReviewPages writes the requested pages.
func (a *app) writeReviewPages(report *check.Report, found *review.Review, f *reviewFlags) error {
	if f.html != "" {
		err := a.WriteFile(f.html, func(w io.Writer) error { return writeReview(w, found) })
		if err != nil {
			return err
		}
	}
	if f.pages == "" {
		return nil
	}
	if err := os.MkdirAll(f.pages, 0o777); err != nil {
		return sdk.Data(err)
	}
	for _, name := range found.Submitters() {
		one := found.Of(report, name)
		err := a.WriteFile(filepath.Join(f.pages, name+".html"), func(w io.Writer) error {
			return writeReview(w, one)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// treeRound is an open tree with a known round.
type treeRound struct {
	*tree.Tree
	folder    string // the named folder below the tree's root
	roundText string // the round and how it was determined
}

// openRound opens the tree that a folder is or is inside of, with the rules of a round. If rules is empty, the tree's
// logs determine the round.
func openRound(dir, rules string) (*treeRound, error) {
	root, below, ok := tree.RootOf(dir)
	if !ok {
		root, below = dir, "."
	}
	said := "round " + rules + ", as --rules says"
	if rules == "" {
		found, err := tree.FindRound(root)
		if err != nil {
			return nil, classifyTreeError(fmt.Errorf("%w%s", err, severalTrees(dir)))
		}
		rules = found.Name
		said = found.String()
	}
	t, err := tree.Open(root, rules)
	if err != nil {
		return nil, sdk.Usage(err)
	}
	return &treeRound{t, below, said}, nil
}

// severalTrees lists the trees below a folder that is not a tree.
func severalTrees(dir string) string {
	list, _ := os.ReadDir(dir)
	var names []string
	for _, e := range list {
		if _, below, ok := tree.RootOf(filepath.Join(dir, e.Name())); ok && below == "." && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it holds the trees " + strings.Join(names, ", ") + ": name one of them"
}
