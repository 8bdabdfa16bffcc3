// Package submission is harness submission: the steps from runs to a submission.
package submission

import "github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"

// app is one execution.
type app struct{ *shell.App }
