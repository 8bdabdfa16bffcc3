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

// endpointsResults prints the curves of a submission to MLPerf Endpoints.
func (a *app) endpointsResults(folder string, f *resultsFlags, flags *pflag.FlagSet) error {
	for _, name := range []string{"submitter", "private-ids", "write-private-ids"} {
		if flags.Changed(name) {
			return sdk.Usage(fmt.Errorf("--%s does not go with submissions to MLPerf Endpoints", name))
		}
	}
	r, err := results.Read(folder, endpoints.Newest())
	if err != nil {
		return err
	}
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
