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
		for _, model := range modelsInOrder() {
			targets, err := r.accuracyTargets(model)
			offline, known := r.minOfflineSamples(model)
			fmt.Fprintln(&b, model, targets, err, offline, known, r.minPerformanceSamples(model), r.minAccuracySamples(model),
				r.usesTokens(model), r.requiresEqualIssue(model), r.auditTests(model), r.tables.ModelMetric)
			for _, kind := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
				fmt.Fprintln(&b, model, kind, r.requiredScenarios(model, kind), r.allScenarios(model, kind))
			}
			for _, scenario := range []string{"SingleStream", "MultiStream", "Offline", "Server", "Interactive"} {
				fmt.Fprintln(&b, model, scenario, r.maxLatency(model, scenario))
			}
		}
		return b.String()
	})
}

// TestMadeUpMetric: whether the old checker reads a metric is said in its row.
func TestMadeUpMetric(t *testing.T) {
	mlconftest.AddMadeUp(t)
	r, err := openOldRules(mlconftest.MadeUpRound)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := r.accuracyTargets("resnet")
	if err == nil || err.Error() != "the old checker cannot read MADE_UP" {
		t.Errorf("%+v, %v", targets, err)
	}
	if targets, err := r.accuracyTargets("bert-99"); err != nil || len(targets) != 1 {
		t.Errorf("%+v, %v", targets, err)
	}
}
