package check_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsAreChecked judges trees by rounds that are the newest one's file under another name.
func TestNewRoundsAreChecked(t *testing.T) {
	sound := newTree(t)
	t.Run("sound", func(t *testing.T) {
		mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
			t.Helper()
			return judgedBy(t, sound, round, check.Options{})
		})
	})
	bases := treeops.NewBaseTrees(t)
	each := 24 // of the cases, for its time
	if slow.All() {
		each = 6
	}
	n := 0
	golden.Each(t, "submission/check/*.json", func(t *testing.T, path string) {
		if n++; n%each != 0 {
			return
		}
		var c goldenCase
		golden.ReadJSON(t, path, &c)
		root := bases.Tree(t, c.Base, c.Ops)
		mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
			t.Helper()
			return filepath.Base(path) + judgedBy(t, root, round, c.options(t))
		})
	})
}

// judgedBy is all that the check says of a tree by the rules of a round.
func judgedBy(t *testing.T, root, round string, o check.Options) string {
	t.Helper()
	found, err := tree.Open(root, round)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	report, err := check.Run(context.Background(), found, o)
	if err != nil && !errors.Is(err, tree.ErrNoSubmission) {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(report, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
