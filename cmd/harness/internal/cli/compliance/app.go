// Package compliance is harness audit: compliance tests beside the runs of a model, or of logs alone, judged.
package compliance

import "github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"

// app is one execution.
type app struct{ *shell.App }
