package submission

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const checkHelp = `Check a submission by every rule. Each fault is one line with its rule, its file, the value found,
the value expected, and what to do. "reject" excludes a result, "warn" requires an explanation to reviewers, "note" is
for information. The check is stricter than the official checker.

  harness submission check TREE                      the whole tree
  harness submission check TREE --submitter Lab      one submitter's results
  harness submission check TREE --rules v6.0         by the rules of this round, not that of the logs
  harness submission check TREE --json               for programs
  harness submission check TREE --compatible --csv summary.csv
                                                     the official checker's verdicts and summary
  harness submission check ORG/SUBMISSION            a curve of MLPerf Endpoints, with all of its rules

The exit code is 0 if nothing is rejected, 3 if something is, 2 if there is no submission; with --compatible it is the
official checker's, 0 or 1. If the official checker would crash, the command names the folder and still judges the
others, without a summary. The --skip flags are those of the official checker.

A submission to MLPerf Endpoints is recognised by its folders, results/SYSTEM/MODEL/rN. Its rules are
endpoints-1.0, and rule, severity, section and path of each line are those of the official checker.`

// checkFlags contains the flags of submission check.
type checkFlags struct {
	check.Options
	rules      string
	json       bool
	compatible bool
	strict     bool
	csv        string
}

func (a *app) checkCommand() *cobra.Command {
	f := &checkFlags{}
	c := &cobra.Command{
		Use: "check TREE", Short: "Check a submission by every rule", Long: checkHelp,
		Args: shell.RequireOneArgument("the folder with closed, network or open"),
		RunE: func(c *cobra.Command, args []string) error {
			if f.csv != "" && !f.compatible {
				return sdk.Usage(errors.New("--csv goes with --compatible only; harness submission results writes it too"))
			}
			if curves.IsEndpoints(args[0], f.rules) {
				return curves.CheckSubmission(a.App, args[0], curves.CheckOptions{Strict: f.strict, Compatible: f.compatible,
					JSON: f.json},
					c.Flags())
			}
			if f.strict {
				return sdk.Usage(errors.New("--strict goes with submissions to MLPerf Endpoints only"))
			}
			var err error
			if f.rules, err = a.findRound(args[0], f.rules); err != nil {
				return err
			}
			if f.compatible {
				return a.checkOfficially(args[0], f)
			}
			return a.checkSubmission(c.Context(), args[0], f)
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.json, "json", false, "print the findings as JSON")
	flags.BoolVar(&f.compatible, compatibleFlag, false, "print only what the official checker would print")
	flags.BoolVar(&f.strict, "strict", false, "for MLPerf Endpoints: treat warnings as rejects")
	flags.StringVar(&f.csv, "csv", "", "with --compatible: write the official summary to `FILE`")
	addFoundRoundFlag(flags, &f.rules, mlconf.ToCheck)
	flags.StringVar(&f.Submitter, "submitter", "", "only the results of this `SUBMITTER`")
	for _, skip := range []struct {
		flag, what string
		to         *bool
	}{
		{"skip-meaningful-fields-emptiness-check", "allow empty fields", &f.Skip.EmptyFields},
		{"skip-empty-files-check", "allow empty user.conf and README.md", &f.Skip.EmptyFiles},
		{"skip-extra-accuracy-files-check", "do not require images and videos", &f.Skip.AccuracyFiles},
		{"skip-dataset-size-check", "allow accuracy runs over a part of the data set", &f.Skip.DatasetSize},
		{"skip-power-check", "do not check the power meter's files", &f.Skip.PowerFiles},
		{"submission-exceptions", "only warn about a modified LoadGen", &f.Skip.Uncommitted},
	} {
		flags.BoolVar(skip.to, skip.flag, false, skip.what)
	}
	shell.AddCIReport(a.App, c)
	return c
}

func (a *app) checkSubmission(ctx context.Context, root string, f *checkFlags) error {
	if _, err := tree.LayoutFor(f.rules, mlconf.ToCheck); err != nil {
		return sdk.Usage(err)
	}
	t, err := tree.Open(root, f.rules)
	if err != nil {
		return sdk.Usage(err)
	}
	defer t.Close()
	report, err := a.checkTree(ctx, t, f.Options)
	if err != nil {
		return err
	}
	reportFindings(a.Report, report)
	if f.json {
		err = shell.WriteUnescapedJSON(a.Data, report)
	} else {
		err = writeReport(a.Stdout, report)
	}
	if err == nil && report.Verdict == check.Rejected {
		err = &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return err
}

// checkTree checks an open tree and shows the progress on a terminal.
func (a *app) checkTree(ctx context.Context, t *tree.Tree, options check.Options) (*check.Report, error) {
	line := a.NewStatusLine()
	if a.ErrScreen.IsTerminal() {
		options.Progress = func(done, all int) {
			line.Set(fmt.Sprintf("checked %d of %s", done, figure.Plural(all, "result")))
		}
	}
	report, err := check.Run(ctx, t, options)
	line.Clear()
	if err != nil {
		return nil, classifyTreeError(err)
	}
	return report, nil
}

// resultLine describes a result and its verdict.
func resultLine(r check.Result) string {
	parts := []string{r.Model, r.Scenario}
	if r.Unit != "" {
		parts = append(parts, figure.Round(r.Metric), r.Unit)
	}
	if r.Inferred {
		parts = append(parts, "inferred")
	}
	return strings.Join(append(parts, string(r.Verdict)), " ")
}
