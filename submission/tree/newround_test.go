package tree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// TestNewRoundsHaveALayout finds the folders of a result.
func TestNewRoundsHaveALayout(t *testing.T) {
	mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
		t.Helper()
		l, err := tree.LayoutOf(round)
		if err != nil || l.Round != round || tree.Rounds()[0] != round {
			t.Errorf("%+v, %v; rounds with a layout are %v", l, err, tree.Rounds())
		}
		p := tree.Place{Division: "closed", Submitter: "Lab", System: "box", Benchmark: "resnet50", Scenario: "Offline"}
		return fmt.Sprintln(l.SourceDir(p), l.MeasurementsFile(p), l.Audits(p), l.Audit(p, "TEST01"))
	})
	if _, err := tree.LayoutOf("v4.1"); err == nil || slices.Contains(tree.Rounds(), "v4.1") {
		t.Errorf("v4.1 has a layout: %v", err)
	}
}
