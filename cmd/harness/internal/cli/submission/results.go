package submission

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/former"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const resultsHelp = `Print the results of a submission's tree. For each scenario folder it prints the result with its
unit, the accuracy and the power, computed like the official checker of the round.

  harness submission results TREE                                  a table
  harness submission results TREE --rules v6.0                     by the rules of this round, not that of the logs
  harness submission results TREE --format csv --out summary.csv   the official summary
  harness submission results TREE --format html --out results.html one sortable page
  harness submission results ORG/SUBMISSION                        the curves of MLPerf Endpoints
  harness submission results ORG/SUBMISSION --format viz           the bundle that mlperf-viz reads

Figures are rounded to five significant digits (halves to even), as in the rules, and also shown unrounded. The csv is
unrounded, like the official one; json contains both. The power working group's checker is not run. The exit code is 0
if there are results, 3 if there are none, 2 if there is no submission.

A submission to MLPerf Endpoints is recognised by its folders, results/SYSTEM/MODEL/rN. Its points have the figures of
the whole run, as the official visualizer derives them; docs/endpoints.md explains the columns.`

// resultsFlags contains the flags of submission results.
type resultsFlags struct {
	checker.Options
	format, out string
	writeIDs    bool
	// interpolated adds straight lines between the points of curves.
	interpolated bool
}

func (a *app) resultsCommand() *cobra.Command {
	f := &resultsFlags{}
	c := &cobra.Command{
		Use: "results TREE", Short: "Print the results of a submission", Long: resultsHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 && curves.IsEndpoints(args[0], f.Round) {
				return nil
			}
			return shell.RequireOneArgument("the folder with closed, network or open, or several of MLPerf Endpoints")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(resultsFormats, f.format) {
				return sdk.Usage(fmt.Errorf("--format %s is not known, want %s", f.format, strings.Join(resultsFormats, ", ")))
			}
			if curves.IsEndpoints(args[0], f.Round) {
				return curves.WriteResults(a.App, args, f.format, f.out, c.Flags())
			}
			if f.interpolated {
				return sdk.Usage(fmt.Errorf("--%s goes with submissions to MLPerf Endpoints only", curves.FlagInterpolated))
			}
			if f.format == curves.FormatViz {
				return sdk.Usage(errors.New("--format viz goes with submissions to MLPerf Endpoints only"))
			}
			return a.printResults(args[0], f)
		},
	}
	flags := c.Flags()
	addFoundRoundFlag(flags, &f.Round, mlconf.ToCheck)
	flags.StringVar(&f.Submitter, "submitter", "", "only the results of this `SUBMITTER`")
	flags.StringVar(&f.format, "format", "table", "table, csv, json, html, or viz for the curves of MLPerf Endpoints")
	flags.BoolVar(&f.interpolated, curves.FlagInterpolated, false,
		"add straight lines between the points of curves to the page, labelled as not measured")
	flags.StringVarP(&f.out, "out", "o", "", "write to `FILE`")
	flags.BoolVar(&f.PrivateIDs, "private-ids", false, "name each system by its private id")
	flags.BoolVar(&f.writeIDs, "write-private-ids", false,
		"write new private ids into the tree, as the official checker does")
	return c
}

// resultsFormats lists the formats of results.
var resultsFormats = []string{"table", "csv", "json", "html", curves.FormatViz}

func (a *app) printResults(root string, f *resultsFlags) error {
	var err error
	if f.Round, err = a.findRound(root, f.Round); err != nil {
		return err
	}
	if err := requireSubmission(root, f.Round, f.Submitter); err != nil {
		return err
	}
	f.SkipPower = true
	f.PrivateIDs = f.PrivateIDs || f.writeIDs
	r, err := former.Check(root, f.Options)
	if err != nil {
		return sdk.Data(err)
	}
	if f.writeIDs {
		if err := checker.WritePrivateIDs(root, f.Options); err != nil {
			return sdk.Data(err)
		}
	}
	err = a.WriteFile(f.out, func(w io.Writer) error { return writeResults(w, r, f) })
	if err == nil && len(r.Rows) == 0 {
		err = &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return err
}

func writeResults(w io.Writer, r *checker.Report, f *resultsFlags) error {
	s := r.Summary()
	switch f.format {
	case "csv":
		return r.Form.WriteCSV(w, r.Rows)
	case "json":
		return s.WriteJSON(w)
	case "html":
		return s.WriteHTML(w)
	}
	if err := s.WriteTable(w); err != nil {
		return err
	}
	return writeWithout(w, s)
}

// writeWithout lists the folders without a result.
func writeWithout(w io.Writer, s result.Summary) error {
	_, err := fmt.Fprintf(w, "\n%s, %d without\n", figure.Plural(len(s.Results), "result"), len(s.Without))
	for _, folder := range s.Without {
		fmt.Fprintf(w, "  %s\n", folder.Folder)
		for _, reason := range folder.Reasons {
			_, err = fmt.Fprintf(w, "    %s\n", reason)
		}
	}
	return err
}
