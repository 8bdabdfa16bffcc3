package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestSeedsOfTest05 wants the test's own seeds of its run in every round that has it, and the round's of all others.
func TestSeedsOfTest05(t *testing.T) {
	rounds := 0
	for _, round := range mlconf.Rounds() {
		rules, err := mlconf.Round(round)
		if err != nil {
			t.Fatal(err)
		}
		other, has := rules.OtherSeeds()
		if !has {
			continue
		}
		rounds++
		for _, c := range []struct {
			as    logRole
			seeds mlconf.Seeds
			want  int
		}{
			{"TEST05", other, 0}, {"TEST05", rules.Seeds, 3}, {"TEST01", rules.Seeds, 0}, {"TEST01", other, 3},
			{mainRun, rules.Seeds, 0}, {mainRun, other, 3},
		} {
			var text strings.Builder
			for key, seed := range map[string]uint64{"qsl": c.seeds.QSL, "sample_index": c.seeds.SampleIndex,
				"schedule": c.seeds.Schedule} {
				fmt.Fprintf(&text, "%s {\"key\": \"effective_%s_rng_seed\", \"value\": %d, \"metadata\": {\"is_error\": false}}\n",
					mllog.DetailPrefix, key, seed)
			}
			detail, err := mllog.ScanDetail(strings.NewReader(text.String()))
			if err != nil {
				t.Fatal(err)
			}
			r := &resultFolder{checker: &treeChecker{rules: rules}, Place: tree.Place{Division: tree.DivisionClosed}}
			r.checkSeeds(&runLog{folder: "x", role: c.as, detail: detail})
			if len(r.findings) != c.want {
				t.Errorf("%s, a run of %q with the seeds %v: %d findings, want %d", round, c.as, c.seeds, len(r.findings), c.want)
			}
		}
	}
	if rounds < 10 {
		t.Errorf("%d rounds have the test", rounds)
	}
}
