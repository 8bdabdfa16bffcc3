package curves

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/results"
	"github.com/plumbline-ml/plumbline/sdk"
)

// FlagInterpolated is the flag that adds straight lines between points to the page of curves.
const FlagInterpolated = "interpolated"

// FormatViz is the format of the official visualizer of MLPerf Endpoints.
const FormatViz = "viz"

// WriteResults writes the curves of one or several submissions to MLPerf Endpoints to a file, or to standard output if
// out is empty. The formats are table, csv, json, html and FormatViz. FlagInterpolated requires html.
func WriteResults(a *shell.App, folders []string, format, out string, flags *pflag.FlagSet) error {
	if err := CheckFlags(flags, "submitter", "private-ids", "write-private-ids"); err != nil {
		return err
	}
	if len(folders) > 1 && (format == FormatViz || format == "csv") {
		return sdk.Usage(fmt.Errorf("--format %s goes with one submission, found %d", format, len(folders)))
	}
	between, err := flags.GetBool(FlagInterpolated)
	if err != nil {
		return err
	}
	if between && format != "html" {
		return sdk.Usage(fmt.Errorf("--%s goes with --format html, found %s", FlagInterpolated, format))
	}
	var all []*results.Results
	for _, folder := range folders {
		r, err := results.Read(folder, endpoints.NewestRules())
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	r := results.Join(all)
	return a.WriteFile(out, func(w io.Writer) error {
		switch format {
		case "csv":
			return r.WriteCSV(w)
		case "json":
			return r.WriteJSON(w)
		case "html":
			return writeCurves(w, r, between)
		case FormatViz:
			return r.WriteViz(w, time.Now())
		}
		return r.WriteTable(w)
	})
}
