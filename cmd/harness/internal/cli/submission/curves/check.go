package curves

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/ci"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/sdk"
)

// CheckOptions selects the rules that apply and the form of the report.
type CheckOptions struct {
	Strict     bool // applies rules beyond the official checker's; warnings reject
	Compatible bool // behaves like the official checker
	JSON       bool
}

// CheckSubmission checks a submission to MLPerf Endpoints.
func CheckSubmission(a *shell.App, folder string, o CheckOptions, flags *pflag.FlagSet) error {
	if err := checkNoRoundFlags(flags); err != nil {
		return sdk.Usage(err)
	}
	curves, report, err := check.ReadCurves(folder, endpoints.NewestRules())
	if err != nil {
		return sdk.Usage(err)
	}
	if o.Strict && !o.Compatible { // rules beyond the official checker's
		report.Rows = append(report.Rows, check.ReviewCurves(curves)...)
	}
	reportRows(a.Report, report)
	switch {
	case o.JSON && o.Compatible:
		err = shell.WriteUnescapedJSON(a.Data, toOfficialReport(report))
	case o.JSON:
		err = shell.WriteUnescapedJSON(a.Data, report)
	default:
		err = writeEndpoints(a.Stdout, report)
	}
	rejected := report.Count(check.Error) > 0 || o.Strict && report.Count(check.Warning) > 0
	switch {
	case err != nil:
		return err
	case o.Compatible:
		return shell.OfficialExitError(rejected)
	case rejected:
		return &exitcode.Outcome{Code: exitcode.Invalid}
	}
	return nil
}

// checkNoRoundFlags rejects the flags for submissions to a round.
func checkNoRoundFlags(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(flag *pflag.Flag) {
		rounds := slices.Contains([]string{"csv", "submitter", "submission-exceptions"}, flag.Name)
		if err == nil && (rounds || strings.HasPrefix(flag.Name, "skip-")) {
			err = fmt.Errorf("--%s does not go with submissions to MLPerf Endpoints", flag.Name)
		}
	})
	return err
}

// writeEndpoints prints the failed checks, errors first, and the number of passed ones.
func writeEndpoints(w io.Writer, r *check.Report) error {
	var b strings.Builder
	for _, severity := range []check.Severity{check.Error, check.Warning} {
		for _, row := range r.Rows {
			if row.Severity == severity {
				fmt.Fprintf(&b, "%-7s  %s  %s\n         %s\n         %s\n", severity, row.Rule, row.Section, row.Path, row.Message)
			}
		}
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s\n", endpoints.NewestRules().Name, figure.Plural(r.Count(check.Error), "error"),
		figure.Plural(r.Count(check.Warning), "warning"), figure.Plural(r.Count(check.Info), "check")+" passed")
	_, err := io.WriteString(w, b.String())
	return err
}

// officialRow is a row in the official checker's report.
type officialRow struct {
	Rule     string         `json:"rule"`
	Message  string         `json:"message"`
	Severity check.Severity `json:"severity"`
	Path     *string        `json:"path"`
	Section  string         `json:"spec_ref"`
	Passed   bool           `json:"passed"`
}

// officialReport is the official checker's report, except for its own names of messages.
type officialReport struct {
	Path     string        `json:"submission_path"`
	Results  []officialRow `json:"results"`
	Errors   []officialRow `json:"errors"`
	Warnings []officialRow `json:"warnings"`
	Passed   bool          `json:"passed"`
}

func toOfficialReport(r *check.Report) officialReport {
	o := officialReport{r.Folder, []officialRow{}, []officialRow{}, []officialRow{}, r.Count(check.Error) == 0}
	for _, row := range r.Rows {
		one := officialRow{row.Rule, row.Message, row.Severity, nil, row.Section, row.Severity != check.Error}
		if row.Path != "" {
			whole := filepath.ToSlash(filepath.Join(r.Folder, row.Path))
			one.Path = &whole
		}
		o.Results = append(o.Results, one)
		switch row.Severity {
		case check.Error:
			o.Errors = append(o.Errors, one)
		case check.Warning:
			o.Warnings = append(o.Warnings, one)
		}
	}
	return o
}

// reportRows adds the checks to a report; nil: not requested.
func reportRows(to *ci.Report, r *check.Report) {
	if to == nil {
		return
	}
	list := ci.NewFindingList("severity", "rule", "section", "path", "what")
	for _, row := range r.Rows {
		c := ci.ReportCase{Group: "check", Name: row.Rule + " " + row.Path, Outcome: ci.Passed}
		if row.Severity == check.Error {
			c.Outcome, c.Message = ci.Failed, row.Message
		}
		to.AddCase(c)
		if row.Severity != check.Info {
			list.Add(row.Severity, row.Rule, row.Section, row.Path, row.Message)
		}
	}
	to.AddFindings(list, fmt.Sprintf("Rules: %s.", endpoints.NewestRules().Name))
}
