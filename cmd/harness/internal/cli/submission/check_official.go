package submission

import (
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/ci"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/former"
	"github.com/plumbline-ml/plumbline/sdk"
)

// officialOptions converts the flags to the official checker's arguments.
func (f *checkFlags) officialOptions() checker.Options {
	return checker.Options{
		Round: f.rules, Submitter: f.Submitter, Exceptions: f.Skip.Uncommitted, SkipPower: f.Skip.PowerFiles,
		SkipMeaningful: f.Skip.EmptyFields, SkipEmptyFiles: f.Skip.EmptyFiles, SkipAccuracyFiles: f.Skip.AccuracyFiles,
		SkipDatasetSize: f.Skip.DatasetSize,
	}
}

// checkOfficially prints the official checker's findings and ends with its exit code. If the official checker would
// crash, it prints no summary.
func (a *app) checkOfficially(root string, f *checkFlags) error {
	r, err := former.Check(root, f.officialOptions())
	if err != nil {
		return sdk.Usage(err)
	}
	if err := a.printOfficial(r, f.json); err != nil {
		return err
	}
	verdict := ci.ReportCase{Group: "official checker", Name: root, Outcome: ci.Passed}
	if r.Verdict != checker.OK {
		verdict.Outcome, verdict.Message = ci.Failed, fmt.Sprint(r.Verdict)
	}
	a.Report.AddCase(verdict)
	if f.csv != "" && r.Verdict != checker.Crash {
		write := func(w io.Writer) error { return r.Form.WriteCSV(w, r.Rows) }
		if err := a.WriteFile(f.csv, write); err != nil {
			return err
		}
	}
	return shell.OfficialExitError(r.Verdict != checker.OK)
}

func (a *app) printOfficial(r *checker.Report, asJSON bool) error {
	s := r.Summary()
	if asJSON {
		return s.WriteJSON(a.Data)
	}
	fmt.Fprintf(a.Stdout, "official: %s, by the rules %s\n", s.Verdict, s.Round)
	return writeWithout(a.Stdout, s)
}
