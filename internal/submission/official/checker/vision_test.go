package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// yoloRounds are the rounds that have yolo.
var yoloRounds = []string{"v6.0", "v6.1"}

// tried is a model whose submissions the checker is asked about.
type tried struct {
	model, accuracy      string
	performance, samples int
	without              []string // folders that the model does not have, as patterns
}

// tree is the reference tree of an edge system with the logs of resnet50 as those of the model: with the round's seeds,
// of as many samples, with this accuracy.
func (m tried) tree(t *testing.T, round string) string {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	const folder = "closed/Toylab/results/toy_edge/"
	ops := []treeops.Op{
		{Op: "delete", Path: folder + "stable-diffusion-xl"},
		{Op: "move", From: folder + "resnet50", To: folder + m.model},
	}
	for _, pattern := range m.without {
		ops = append(ops, treeops.Op{Op: "delete", Path: folder + m.model + "/" + pattern})
	}
	for key, value := range map[string]any{
		"effective_qsl_rng_seed": rules.Seeds.QSL, "effective_sample_index_rng_seed": rules.Seeds.SampleIndex,
		"effective_schedule_rng_seed": rules.Seeds.Schedule, "qsl_reported_performance_count": m.performance,
		"requested_performance_sample_count_override": m.performance, "effective_performance_sample_count": m.performance,
		"qsl_reported_total_count": m.samples, "effective_accuracy_sample_count": m.samples,
	} {
		ops = append(ops, treeops.Op{
			Op: "log-set", Path: folder + m.model + "/**/mlperf_log_detail.txt", Key: key, Value: fmt.Append(nil, value),
		})
	}
	ops = append(ops, treeops.Op{Op: "replace", Path: folder + m.model + "/*/accuracy/accuracy.txt",
		Old: "accuracy=76.460%, good=38230, total=50000", New: m.accuracy})
	return treeops.NewBaseTrees(t).Tree(t, "edge", ops)
}

// yoloTree is that of a model of yolo.
func yoloTree(t *testing.T, round, model, accuracy string) string {
	t.Helper()
	return tried{model, accuracy, 64, 1525, []string{"*/TEST04"}}.tree(t, round)
}

// TestPointPainting: the checker takes an accuracy in percent for a share of 1, so that 0.542 percent are enough.
func TestPointPainting(t *testing.T) {
	for total, want := range map[string]Verdict{"54.2": OK, "0.542": OK, "0.541": Errors} {
		line := "{'Pedestrian': [1.0], 'Cyclist': [1.0], 'Car': [1.0], 'Total': " + total + "}"
		m := tried{"pointpainting", line, 1024, 39987, []string{"MultiStream", "Offline"}}
		if r := check(t, m.tree(t, "v6.0"), Options{Round: "v6.0"}); r.Verdict != want {
			t.Errorf("Total %s: %s, want %s: %+v", total, r.Verdict, want, r.Summary().Without)
		}
	}
}

// TestYOLO: the checkers of both rounds take a submission of yolo-99 at its target, and none below.
func TestYOLO(t *testing.T) {
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
