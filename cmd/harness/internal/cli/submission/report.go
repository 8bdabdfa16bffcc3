package submission

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/official/spreadsheet"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const reportHelp = `Make the final report from a summary.csv of the official checker or of harness submission results
--format csv.

  harness submission report summary.csv --out report

DIR gets:

  NAME_results.json   the list of results, each with its power, for web pages
  ids.json            the number of each system; existing numbers stay
  NAME - SUITE - DIVISION.csv, and ... - power.csv
                      a table for each suite and division: systems, models, scenarios, units

The lists and cells are those of the official report; its .xlsx is not written.`

// reportFlags contains the flags of submission report.
type reportFlags struct {
	spreadsheet.Options
	round, out string
}

func (a *app) reportCommand() *cobra.Command {
	f := &reportFlags{}
	c := &cobra.Command{
		Use: "report SUMMARY.csv --out DIR", Short: "Make the final report from a summary", Long: reportHelp,
		Args: shell.RequireOneArgument("the summary"),
		RunE: func(_ *cobra.Command, args []string) error { return a.makeReport(args[0], f) },
	}
	flags := c.Flags()
	addRoundFlag(flags, &f.round, "the `ROUND` whose rules count", mlconf.ToMake)
	flags.StringVarP(&f.out, "out", "o", "", "write to the folder `DIR`")
	flags.StringVar(&f.Owner, "repository-owner", "", "the `OWNER` of the submissions' repository, for links")
	flags.StringVar(&f.Repository, "repository", "", "the submissions' `REPOSITORY`, for links")
	flags.StringVar(&f.Branch, "repository-branch", "", "its `BRANCH`")
	return c
}

// maxIDs limits the size in bytes of an earlier report's row numbers.
const maxIDs = 64 << 20

func (a *app) makeReport(summary string, f *reportFlags) error {
	rules, err := mlconf.Round(f.round)
	if err != nil {
		return sdk.Usage(err)
	}
	if f.out == "" {
		return sdk.Usage(errors.New("--out DIR is missing: the report consists of several files"))
	}
	f.Version = strings.TrimPrefix(rules.Name, "v")
	ids := filepath.Join(f.out, "ids.json")
	if f.IDs, err = bounded.ReadFile(ids, maxIDs); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sdk.Data(err)
	}
	text, err := bounded.Open(summary)
	if err != nil {
		return sdk.Data(err)
	}
	defer text.Close()
	r, err := spreadsheet.MakeReport(text, f.Options)
	if err != nil {
		return sdk.Data(err)
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return sdk.Data(err)
	}
	name := filepath.Join(f.out, strings.TrimSuffix(filepath.Base(summary), filepath.Ext(summary)))
	return a.writeReportFiles(r, ids, name)
}

func (a *app) writeReportFiles(r *spreadsheet.Report, ids, name string) error {
	faults := []error{
		a.WriteFile(ids, func(w io.Writer) error { _, err := w.Write(r.IDs); return err }),
		a.WriteFile(name+"_results.json", func(w io.Writer) error { _, err := w.Write(r.Results); return err }),
	}
	for _, s := range r.Sheets {
		faults = append(faults, a.WriteFile(name+" - "+s.Name+".csv", s.WriteCSV))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, sheet := range r.Unknown {
		fmt.Fprintf(a.Stdout, "no table %s: the report lacks columns for its models\n", sheet)
	}
	_, err := fmt.Fprintf(a.Stdout, "wrote %s_results.json, ids.json and %s\n", filepath.Base(name),
		figure.Plural(len(r.Sheets), "table"))
	return err
}
