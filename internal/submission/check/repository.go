package check

import (
	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkEntry checks a file or folder against the limits of the submissions' repository.
func (c *treeChecker) checkEntry(e tree.Entry) {
	for _, f := range repository.FindFaults(e) {
		severity := Reject
		if f.Kind == repository.Hidden && tree.IsExtra(e.Name) || c.features.LooseNames {
			severity = Warn
		}
		c.addFinding(severity, ruleRepository, e.Path, f.Error(), e.Name, "", "as it says")
	}
}
