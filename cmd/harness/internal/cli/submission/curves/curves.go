// Package curves contains the steps of harness submission that only MLPerf Endpoints needs: the plan of a curve, its
// steady windows, and its check, results and archive.
package curves

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/sdk"
)

// app is one execution.
type app struct{ *shell.App }

// Is says whether a submission is one to MLPerf Endpoints: the rules say so, or else its folders.
func Is(folder, rules string) bool {
	if rules != "" {
		return rules == endpoints.NewestRules().Name
	}
	return check.IsSubmission(folder)
}

// CheckFlags is an error where a flag is given that only other submissions have.
func CheckFlags(flags *pflag.FlagSet, others ...string) error {
	for _, name := range others {
		if flags.Changed(name) {
			return sdk.Usage(fmt.Errorf("--%s does not go with submissions to MLPerf Endpoints", name))
		}
	}
	return nil
}
