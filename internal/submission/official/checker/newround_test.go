package checker

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsAreJudged judges reference trees by rounds that are the newest one's file under another name.
func TestNewRoundsAreJudged(t *testing.T) {
	bases := treeops.NewBaseTrees(t)
	const each = 9 // of the cases, for its time
	n := 0
	golden.Each(t, "submission/check/*.json", func(t *testing.T, path string) {
		if n++; n%each != 0 {
			return
		}
		var c checkCase
		golden.ReadJSON(t, path, &c)
		root, o := bases.Tree(t, c.Base, c.Ops), options(t, c)
		mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
			t.Helper()
			o.Round = round
			r, err := Check(root, o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.MarshalIndent(r, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			return filepath.Base(path) + string(text)
		})
	})
}
