package checker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/submission/internal/treeops"
)

// yoloRounds are the rounds that have yolo.
var yoloRounds = []string{"v6.0", "v6.1"}

// yoloTree is the reference tree of an edge system with the logs of resnet50 as those of a model of yolo: with the
// round's seeds, of as many samples, with this accuracy, without TEST04.
func yoloTree(t *testing.T, round, model, accuracy string) string {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	const folder = "closed/Toylab/results/toy_edge/"
	ops := []treeops.Op{
		{Op: "delete", Path: folder + "stable-diffusion-xl"},
		{Op: "move", From: folder + "resnet50", To: folder + model},
		{Op: "delete", Path: folder + model + "/*/TEST04"},
	}
	for key, value := range map[string]uint64{
		"effective_qsl_rng_seed": rules.Seeds.QSL, "effective_sample_index_rng_seed": rules.Seeds.SampleIndex,
		"effective_schedule_rng_seed": rules.Seeds.Schedule, "qsl_reported_performance_count": 64,
		"requested_performance_sample_count_override": 64, "effective_performance_sample_count": 64,
		"qsl_reported_total_count": 1525, "effective_accuracy_sample_count": 1525,
	} {
		ops = append(ops, treeops.Op{
			Op: "log-set", Path: folder + model + "/**/mlperf_log_detail.txt", Key: key, Value: fmt.Append(nil, value),
		})
	}
	ops = append(ops, treeops.Op{Op: "replace", Path: folder + model + "/*/accuracy/accuracy.txt",
		Old: "accuracy=76.460%, good=38230, total=50000", New: accuracy})
	return treeops.NewBases(t).Tree(t, "edge", ops)
}

// TestYOLO: the checkers of both rounds take a submission of yolo-99 at its target, and none below.
func TestYOLO(t *testing.T) {
	if _, err := os.Stat(filepath.Join(golden.Root(t), "submission", "base")); err != nil {
		t.Skip(err)
	}
	for model, accuracy := range map[string]string{"yolo-95": "mAP=50.730%", "yolo-99": "mAP=52.866%"} {
		for _, round := range yoloRounds {
			r := check(t, yoloTree(t, round, model, accuracy), Options{Round: round})
			var scenarios []string
			for _, row := range r.Rows {
				if row.MLPerfModel == model && strings.HasPrefix(row.Accuracy, "mAP: "+accuracy[4:10]) {
					scenarios = append(scenarios, row.Scenario)
				}
			}
			slices.Sort(scenarios)
			if want := []string{"MultiStream", "Offline", "SingleStream"}; r.Verdict != OK || !slices.Equal(scenarios, want) {
				t.Errorf("%s %s: %s, %v: %+v", round, model, r.Verdict, scenarios, r.Summary().Without)
			}
		}
	}
	if r := check(t, yoloTree(t, "", "yolo-99", "mAP=52.865%"), Options{}); r.Verdict == OK {
		t.Errorf("a mAP below the target: %s", r.Verdict)
	}
}
