package curves

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/internal/submission/pack"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/sdk"
)

// PackSubmission packs a submission to MLPerf Endpoints, the folder of its organisation, into a new file. It packs a
// rejected submission only if rejected is true.
func PackSubmission(ctx context.Context, a *shell.App, folder, out string, rejected bool) (pack.Packed, error) {
	report, err := check.Check(folder, endpoints.NewestRules())
	if err != nil {
		return pack.Packed{}, sdk.Usage(err)
	}
	errors := report.Count(check.Error)
	switch found := fmt.Sprintf("the check finds %s", figure.Plural(errors, "error")); {
	case errors > 0 && !rejected:
		fmt.Fprintf(a.Stderr, "%s: it is not packed. harness submission check %s lists them; --allow-rejected packs it "+
			"all the same\n", found, folder)
		return pack.Packed{}, &exitcode.Outcome{Code: exitcode.Invalid}
	case errors > 0:
		fmt.Fprintf(a.Stderr, "%s; it is packed all the same\n", found)
	}
	whole, err := filepath.Abs(report.Folder) // ORG/SUBMISSION_ID
	if err != nil {
		return pack.Packed{}, err
	}
	organisation := filepath.Dir(whole)
	t, err := tree.Open(organisation, "")
	if err != nil {
		return pack.Packed{}, sdk.Usage(err)
	}
	defer t.Close()
	if beside := t.Entries("."); len(beside) != 1 {
		names := make([]string, len(beside))
		for i, e := range beside {
			names[i] = e.Name
		}
		return pack.Packed{}, sdk.Usage(fmt.Errorf("%s has %s: want one submission alone in it", organisation,
			strings.Join(names, ", ")))
	}
	defer a.BeginTidying()()
	p, err := pack.WriteWhole(ctx, t, out)
	if ctx.Err() != nil {
		return p, context.Cause(ctx)
	}
	return p, sdk.Data(err)
}
