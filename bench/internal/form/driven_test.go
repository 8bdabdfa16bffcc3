package form

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// TestScoreOfDriven checks that the score comes from accuracy.txt, which harness score may write later than the record;
// that it comes from the record if accuracy.txt does not contain it; and that there is no score without either.
func TestScoreOfDriven(t *testing.T) {
	f := endpointsForm{t.TempDir(), sdk.ModelInfo{Metrics: []sdk.MetricInfo{{Name: "vbench_score"}, {Name: "videos"}}}}
	videos, scored := judge.Metric{Name: "videos", Value: 100}, judge.Metric{Name: "vbench_score", Value: 70.5}
	for name, c := range map[string]struct {
		text    string // empty: no file
		metrics []judge.Metric
		want    float64 // 0: no score
	}{
		"not scored yet":       {"24 of 24 prompts have a video\n\nhash=ab\n", []judge.Metric{videos}, 0},
		"no file":              {"", []judge.Metric{videos}, 0},
		"scored with the run":  {"", []judge.Metric{scored, videos}, 70.5},
		"scored later":         {"VBench\n{'vbench_score': 71.25}\n\nhash=ab\n", []judge.Metric{videos}, 71.25},
		"scored once more":     {"{'vbench_score': 71}\n", []judge.Metric{scored, videos}, 71},
		"a line of another":    {"{'other_score': 71}\n", []judge.Metric{videos}, 0},
		"in the midst of text": {"see {'vbench_score': 71}\n", []judge.Metric{videos}, 0},
	} {
		dir := filepath.Join(f.out, "Offline", "accuracy")
		file := filepath.Join(dir, "accuracy.txt")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if c.text == "" {
			_ = os.Remove(file) // may not exist
		} else if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := f.accuracyScore(&record.Run{
			Dir: "Offline/accuracy", Workload: &record.Workload{DatasetSize: 24},
			Accuracy: &record.Accuracy{Verdict: judge.Verdict{Metrics: c.metrics}, Samples: 24},
		})
		if err != nil || got.Size != 24 || (got.Value == nil) != (c.want == 0) || got.Value != nil && *got.Value != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestForget checks that a timed run without the form removes the files of the run that it replaces but not those of
// others.
func TestForget(t *testing.T) {
	out := t.TempDir()
	file := func(scenario string) string {
		return filepath.Join(out, "m", scenario, endpoints.Folder, "config.yaml")
	}
	for _, scenario := range []string{"Offline", "Server", "SingleStream"} {
		err := os.MkdirAll(filepath.Dir(file(scenario)), 0o755)
		if err == nil {
			err = os.WriteFile(file(scenario), []byte("model_params: {}"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	timed := func(dir, test string, status record.Status) record.Run {
		return record.Run{Dir: dir, Test: test, Status: status, Mode: plan.ModePerformance,
			Performance: new(record.Performance), Effective: new(record.Effective)}
	}
	err := writeDriven(&plan.Plan{Out: out}, record.Document{Runs: []record.Run{
		timed("m/Offline/performance/run_1", "", record.Complete),
		timed("m/Server/performance/run_1", "", record.Failed),
		timed("m/SingleStream/"+cachingTest+"/performance/run_1", cachingTest, record.Complete),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for scenario, want := range map[string]bool{"Offline": false, "Server": true, "SingleStream": true} {
		if _, err := os.Stat(file(scenario)); (err == nil) != want {
			t.Errorf("%s: %v", scenario, err)
		}
	}
}

// TestOfficialMetric checks that the metric is the one that the rounds require, even if it is made up.
func TestOfficialMetric(t *testing.T) {
	mlconftest.AddMadeUp(t)
	for _, c := range []struct{ key, rules, scenario, want string }{
		{"wan-2.2-t2v-a14b", "v6.1", "SingleStream", "vbench_score"},
		{"wan-2.2-t2v-a14b", "v5.0", "SingleStream", "vbench_score"}, // v5.0 does not have the model
		{"qwen3-vl-235b-a22b", "v6.1", "Server", "F1_HIERARCHICAL"},
		{"qwen3-vl-235b-a22b", "v9.9", "Offline", "F1_HIERARCHICAL"}, // a later version
		{"resnet", mlconftest.MadeUpRound, "Offline", mlconftest.MadeUp},
		{"resnet", "v6.1", "Offline", "acc"},
		{"", "v6.1", "Offline", ""},
		{"own", "", "Offline", ""},
	} {
		f := endpointsForm{model: sdk.ModelInfo{RulesKey: c.key}}
		if got := f.officialMetric(&record.Run{Rules: c.rules, Scenario: c.scenario}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
