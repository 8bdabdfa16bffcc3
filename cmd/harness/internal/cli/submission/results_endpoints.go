package submission

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/results"
	"github.com/plumbline-ml/plumbline/sdk"
)

// endpointsResults prints the curves of submissions to MLPerf Endpoints: of one, or of several to be compared.
func (a *app) endpointsResults(folders []string, f *resultsFlags, flags *pflag.FlagSet) error {
	if err := notOfEndpoints(flags, "submitter", "private-ids", "write-private-ids"); err != nil {
		return err
	}
	if len(folders) > 1 && (f.format == formatViz || f.format == "csv") {
		return sdk.Usage(fmt.Errorf("--format %s goes with one submission, found %d", f.format, len(folders)))
	}
	var all []*results.Results
	for _, folder := range folders {
		r, err := results.Read(folder, endpoints.Newest())
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	r := results.Join(all)
	return a.toFile(f.out, func(w io.Writer) error {
		switch f.format {
		case "csv":
			return r.WriteCSV(w)
		case "json":
			return r.WriteJSON(w)
		case "html":
			return writeCurves(w, r)
		case formatViz:
			return r.WriteViz(w, time.Now())
		}
		return r.WriteTable(w)
	})
}
