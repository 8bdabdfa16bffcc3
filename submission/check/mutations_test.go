package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/submission/check"
	"github.com/plumbline-ml/plumbline/submission/compatible"
	"github.com/plumbline-ml/plumbline/submission/internal/treeops"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// TestMutationsGolden changes each file and name of the reference trees in many ways: the check accepts nothing that
// the official checker refuses or dies of. PLUMBLINE_MUTATIONS=1 tries all 1.5 million, N one of N.
func TestMutationsGolden(t *testing.T) {
	share := uint64(701)
	if text := os.Getenv("PLUMBLINE_MUTATIONS"); text != "" {
		var err error
		if share, err = strconv.ParseUint(text, 10, 64); err != nil || share == 0 {
			t.Fatalf("PLUMBLINE_MUTATIONS is %q, want 1 for all mutations, or N for one of N", text)
		}
	}
	// Lists of samples are nine tenths of the logs.
	short := treeops.Op{Op: "log-set", Path: "**_detail.txt", Key: "loaded_qsl_set", Value: []byte("[0]"), All: true}
	bases := treeops.NewBases(t)
	for _, base := range []string{"edge", "datacenter"} {
		treeops.EachPart(t, bases.Tree(t, base, []treeops.Op{short}), func(t *testing.T, root string) {
			if ours, official, err := judged(root); err != nil || ours != check.Accepted || official != compatible.OK {
				t.Fatalf("before any change: ours %s, the official checker's %s, %v", ours, official, err)
			}
			tried := treeops.EachMutation(t, root, share, func(root string) error {
				ours, official, err := judged(root)
				if err == nil && ours != check.Rejected && official != compatible.OK {
					err = fmt.Errorf("ours %s, the official checker's %s", ours, official)
				}
				return err
			})
			t.Logf("%d mutations", tried)
		})
	}
}

// judged are both verdicts on a tree. The official one is asked for where ours does not reject.
func judged(root string) (ours check.Verdict, official compatible.Verdict, err error) {
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
	other, err := compatible.Check(root, compatible.Options{})
	if err != nil {
		return "", "", err
	}
	return report.Verdict, other.Verdict, nil
}
