package checker

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// TestOfficialCheckerMutations compares verdicts and summaries with those of the official checker on the reference
// trees with one change each, of which PLUMBLINE_MUTATIONS=N takes one of N.
func TestOfficialCheckerMutations(t *testing.T) {
	o := officialChecker(t)
	bases := treeops.NewBaseTrees(t)
	for _, base := range []string{"edge", "datacenter"} {
		root := bases.Tree(t, base, []treeops.Op{treeops.ShortLists()})
		treeops.EachPart(t, root, func(t *testing.T, root string) {
			tried := treeops.EachMutation(t, root, treeops.Share(t, 4001), func(root string) error {
				return o.differ(root, Options{})
			})
			t.Logf("%d mutations", tried)
		})
	}
}
