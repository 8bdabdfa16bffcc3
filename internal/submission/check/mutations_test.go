package check_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// TestMutationsGolden changes each file and name of the reference trees in many ways: the check accepts nothing that
// the official checker refuses or dies of. PLUMBLINE_MUTATIONS=1 tries all 1.5 million, N one of N.
func TestMutationsGolden(t *testing.T) {
	bases := treeops.NewBaseTrees(t)
	for _, base := range []string{"edge", "datacenter"} {
		treeops.EachPart(t, bases.Tree(t, base, []treeops.Op{treeops.ShortLists()}), func(t *testing.T, root string) {
			if ours, official, err := judged(root); err != nil || ours != check.Accepted || official != checker.OK {
				t.Fatalf("before any change: ours %s, the official checker's %s, %v", ours, official, err)
			}
			tried := treeops.EachMutation(t, root, treeops.Share(t, 1501), func(root string) error {
				ours, official, err := judged(root)
				if err == nil && ours != check.Rejected && official != checker.OK {
					err = fmt.Errorf("ours %s, the official checker's %s", ours, official)
				}
				return err
			})
			t.Logf("%d mutations", tried)
		})
	}
}

// judged are both verdicts on a tree. The official one is asked for where ours does not reject.
func judged(root string) (ours check.Verdict, official checker.Verdict, err error) {
	found, err := tree.Open(root, "")
	if err != nil {
		return "", "", err
	}
	defer found.Close()
	report, err := check.Run(context.Background(), found, check.Options{})
	switch {
	case errors.Is(err, tree.ErrNoSubmission):
		return check.Rejected, "", nil
	case err != nil:
		return "", "", err
	case report.Verdict == check.Rejected:
		return check.Rejected, "", nil
	}
	other, err := checker.Check(root, checker.Options{})
	if err != nil {
		return "", "", err
	}
	return report.Verdict, other.Verdict, nil
}
