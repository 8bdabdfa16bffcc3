package prepare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsHaveOldRules: the tables of the checker before the present one are in the round's file, too.
func TestNewRoundsHaveOldRules(t *testing.T) {
	mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
		t.Helper()
		r, err := openOldRules(round)
		if err != nil || !slices.Contains(officialRounds(), round) {
			t.Fatalf("%v; the tool knows %v", err, officialRounds())
		}
		var b strings.Builder
		for _, model := range listed() {
			targets, err := r.targets(model)
			offline, known := r.offlineSamples(model)
			fmt.Fprintln(&b, model, targets, err, offline, known, r.performanceSamples(model), r.accuracySamples(model),
				r.usesTokens(model), r.equalIssue(model), r.audits(model), r.own.ModelMetric)
			for _, kind := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
				fmt.Fprintln(&b, model, kind, r.required(model, kind), r.scenarios(model, kind))
			}
			for _, scenario := range []string{"SingleStream", "MultiStream", "Offline", "Server", "Interactive"} {
				fmt.Fprintln(&b, model, scenario, r.latencyLimit(model, scenario))
			}
		}
		return b.String()
	})
}
