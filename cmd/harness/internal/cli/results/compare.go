package results

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/internal/failif"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

const compareHelp = `Compare the runs of two sides, scenario by scenario: the difference of each figure, and whether it
is larger than the spread of the runs. BASE and NEW are each the --out folder of a run, a folder of
such folders, or several with commas between them; the runs of one side count as repetitions. Logs alone
are enough, such as the official LoadGen's, of a run, a system or a submission.

Sides whose model, data, rules or settings differ are refused. Differences of backends, machines and
versions are listed.

  harness run resnet50 --scenario Offline --repeat 7 --out base
  harness run resnet50 --scenario Offline --repeat 7 --out new --threads 2
  harness compare base new --fail-if 'Offline.result < -3%'`

// compareFlags contains the flags of compare.
type compareFlags struct {
	allow     []string
	html      string
	json, all bool
	failIf    []string
}

// CompareCommand returns the command "harness compare".
func CompareCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &compareFlags{}
	c := &cobra.Command{
		Use: "compare BASE NEW", Short: "Compare runs, and separate differences from the spread", Long: compareHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%s: want two arguments, BASE and NEW, found %d; see %s --help", shell.CommandName(c), len(args),
					c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.compareSides(f, args[0], args[1]) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.allow, "allow-unlike", nil,
		"allow the sides to differ in `WHAT,...`: model, scenario, mode, rules,\ndata, settings, loadgen; or the runs of "+
			"one side to differ in backend,\nmachine, versions; or all")
	shell.AddFailIfFlag(flags, &f.failIf,
		"'p99 > 12ms', 'Server.p99 > +5%'\n(a sign: the change against BASE); repeatable")
	flags.BoolVar(&f.all, "all", false, "show every figure, not only the main ones")
	flags.BoolVar(&f.json, "json", false, "print the comparison as JSON")
	flags.StringVar(&f.html, "html", "", "also write a page to `FILE`")
	shell.AddCIReport(s, c)
	return c
}

func (a *app) compareSides(f *compareFlags, base, next string) error {
	conditions, err := shell.ParseConditions(f.failIf)
	if err != nil {
		return err
	}
	if err := checkEnding("html", f.html, ".html", ".htm"); err != nil {
		return sdk.Usage(err)
	}
	old, err1 := readSide(base)
	new, err2 := readSide(next)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	c, err := compare.Compare(old, new, f.allow)
	if err != nil {
		return err
	}
	if err := writePage(f.html, c); err != nil {
		return err
	}
	shell.ReportComparison(a.Report, c, f.all)
	if f.json {
		err = compare.WriteJSON(a.Data, c)
	} else {
		err = c.WriteText(a.Stdout, f.all)
	}
	if err != nil {
		return err
	}
	return a.JudgeConditions(conditions, failif.ComparisonSubjects(c), f.json)
}

// readSide reads the runs of one side.
func readSide(list string) (compare.SideInput, error) {
	s, err := readRuns(results.SplitPaths(list)...)
	return compare.SideInput{Name: list, Set: s}, err
}

// writePage writes the page of a comparison, if path is not empty.
func writePage(path string, c compare.Comparison) error {
	if path == "" {
		return nil
	}
	return page.WriteFile(path, func(w io.Writer) error { return writeComparison(w, c) })
}
