package standing

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/submission/official/checker"
	"github.com/plumbline-ml/plumbline/submission/tree/treetest"
)

// TestMadeTreesPass: in a made tree the checker of each round finds all results.
func TestMadeTreesPass(t *testing.T) {
	for _, round := range []string{"v5.0", "v5.1", "v6.0", "v6.1"} {
		root := t.TempDir()
		treetest.Write(t, root, round,
			treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000, Watts: 50},
			treetest.Result{Benchmark: "3d-unet-99", Scenario: "Offline", Value: 3, SystemType: "datacenter", System: "two"},
			treetest.Result{Division: "open", Benchmark: "llama2-70b-99.9", Scenario: "Server", Value: 700, System: "three",
				SystemType: "datacenter", Accelerator: "Accel X", Accelerators: 8})
		r, err := checker.Check(root, checker.Options{Round: round, SkipPower: true})
		if err != nil || r.Verdict != checker.OK || r.Results != 5 || r.Power != 1 {
			t.Errorf("%s: %.2000s, %v", round, fmt.Sprintf("%+v", r), err)
		}
	}
}
