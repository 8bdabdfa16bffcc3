// Package runs is harness run: one model, several backends in turn, suites, MLMark's configurations. It prints runs for
// audits and submissions, too, and has the settings of runs.
package runs

import "github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"

// app is one execution.
type app struct{ *shell.App }
