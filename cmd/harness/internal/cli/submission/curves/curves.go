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

// app is one execution of a command in this package.
type app struct{ *shell.App }

// IsEndpoints reports whether a submission is one to MLPerf Endpoints, from the rules or else from its folders.
func IsEndpoints(folder, rules string) bool {
	if rules != "" {
		return rules == endpoints.NewestRules().Name
	}
	return check.IsSubmission(folder)
}

// CheckFlags returns an error if a flag for other submissions is given.
func CheckFlags(flags *pflag.FlagSet, others ...string) error {
	for _, name := range others {
		if flags.Changed(name) {
			return sdk.Usage(fmt.Errorf("--%s does not go with submissions to MLPerf Endpoints", name))
		}
	}
	return nil
}
