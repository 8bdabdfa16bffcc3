package check

import (
	"github.com/plumbline-ml/plumbline/internal/submission/repository"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkEntry checks a file or folder against the limits of the submissions' repository.
func (c *treeChecker) checkEntry(e tree.Entry) {
	for _, f := range repository.Find(e) {
		severity := Reject
		if f.Kind == repository.Hidden && tree.Extra(e.Name) || c.asks.LooseNames {
			severity = Warn
		}
		c.addFinding(severity, ruleRepository, e.Path, f.Error(), e.Name, "", "as it says")
	}
}
