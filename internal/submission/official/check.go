package official

import (
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/former"
)

// Check reads the tree at root as the official checker of o.Round does, that of v5.0 and later or the round's own.
// Errors are of the round, of root itself and of its listing; all else is in the report.
func Check(root string, o checker.Options) (*checker.Report, error) {
	if former.Known(o.Round) {
		return former.Check(root, o)
	}
	return checker.Check(root, o)
}
