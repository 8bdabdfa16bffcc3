package standing

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
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

// TestChosenScenarios: a benchmark of the closed division must have all scenarios of its rules, and has them too where
// one of them is asked for.
func TestChosenScenarios(t *testing.T) {
	for _, round := range []string{"v5.0", "v5.1", "v6.0", "v6.1"} {
		root := t.TempDir()
		treetest.Write(t, root, round, treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000})
		all, err := ReadTree(root, ReadFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all.Results {
			for name, w := range map[string]ReadFilter{root: {Scenarios: []string{e.Scenario}, Models: []string{"resnet"}},
				filepath.Join(root, filepath.FromSlash(e.Folder)): {}} {
				p, err := ReadTree(name, w)
				if err != nil || len(p.Results) != 1 || p.Results[0].Folder != e.Folder {
					t.Errorf("%s, %s: %d results, %v", round, e.Folder, len(p.Results), err)
				}
			}
		}
		if len(all.Results) == 0 {
			t.Errorf("%s: no results, %.600v", round, all.Without)
		}
	}
}
