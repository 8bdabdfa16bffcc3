package tree_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsHaveALayout finds the folders of a result.
func TestNewRoundsHaveALayout(t *testing.T) {
	mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
		t.Helper()
		l, err := tree.LayoutOf(round)
		if err != nil || l.Round != round || tree.Rounds(mlconf.ToMake)[0] != round {
			t.Errorf("%+v, %v; rounds with a layout are %v", l, err, tree.Rounds(mlconf.ToMake))
		}
		p := tree.Place{Division: "closed", Submitter: "Lab", System: "box", Benchmark: "resnet50", Scenario: "Offline"}
		return fmt.Sprintln(l.SourceDir(p), l.MeasurementsFile(p), l.Audits(p), l.Audit(p, "TEST01"))
	})
}

// TestPurposes: submissions of each round are read and checked, and of some they are made, too.
func TestPurposes(t *testing.T) {
	if checked := tree.Rounds(mlconf.ToCheck); !slices.Equal(checked, mlconf.Rounds()) {
		t.Errorf("rounds that are checked: %v, want all", checked)
	}
	for _, c := range []struct {
		round   string
		purpose mlconf.Purpose
		want    string
	}{
		{"v0.5", mlconf.ToCheck, ""}, {"v4.1", mlconf.ToCheck, ""}, {"v6.1", mlconf.ToMake, ""},
		{"v5.0", mlconf.ToMake, ""}, {"", mlconf.ToMake, ""},
		{"v1.0", mlconf.ToMake, "submissions of v1.0 are taken by harness submission results and check alone, " +
			"want one of v6.1"},
		{"v4.1", mlconf.ToMake, "submissions of v4.1 are taken by harness submission results and check alone, " +
			"want one of v6.1"},
		{"v0.1", mlconf.ToCheck, `no layout of a submission is known for "v0.1", want one of v6.1`},
	} {
		_, err := tree.LayoutFor(c.round, c.purpose)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %q: %v, want %q", c.round, c.purpose, err, c.want)
		}
	}
}
