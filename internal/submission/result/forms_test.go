package result

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// printed is a line of accuracy.txt for each metric of the rules, as the official scripts print it, with the value
// 71.5.
var printed = map[string]string{
	"acc":               "accuracy=71.5%, good=143, total=200",
	"AUC":               "AUC=71.5%, mAP=80.0%, good=1, total=2",
	"mAP":               "mAP=71.5%",
	"bleu":              "BLEU: 71.5",
	"F1":                `{"exact_match": 60.1, "f1": 71.5}`,
	"ACCURACY":          "Word Error Rate: 28.5%, accuracy=71.5%",
	"WER":               "Word Error Rate: 28.5%, accuracy=71.5%",
	"DICE":              "Accuracy: mean = 71.5, kidney = 0.9, tumor = 0.8",
	"ROUGE1":            "{'rouge1': 71.5, 'rouge2': 1.5}",
	"ROUGE2":            "{'rouge1': 1.5, 'rouge2': 71.5}",
	"ROUGEL":            "{'rougeL': '71.5', 'rougeLsum': '1.5'}",
	"ROUGELSUM":         "{'rougeL': '1.5', 'rougeLsum': '71.5'}",
	"GEN_LEN":           "{'gen_len': 71.5}",
	"TOKENS_PER_SAMPLE": "{'gen_len': 1, 'tokens_per_sample': 71.5}",
	"CLIP_SCORE":        "Accuracy Results: {'CLIP_SCORE': '71.5'}",
	"FID_SCORE":         "Accuracy Results: {'FID_SCORE': '71.5'}",
	"gsm8k_accuracy":    "{'gsm8k': 71.5, 'mbxp': 1.5}",
	"mbxp_accuracy":     "{'gsm8k': 1.5, 'mbxp': 71.5}",
	"exact_match":       "{'exact_match': 71.5}",
	"vbench_score":      "{'vbench_score': 71.5}",
	"F1_HIERARCHICAL":   `{"precision": 1.5, "f1": 71.5, "recall": 2.5}`,
	"E2E_ACCURACY":      "Accuracy: 71.5",
	"DLRM_NE":           "metric/lifetime_ne/rating: 71.5",
	"DLRM_ACC":          "metric/lifetime_accuracy/rating: 71.5",
	"DLRM_AUC":          "metric/lifetime_gauc/rating: 71.5",
}

// TestEveryMetricHasAForm walks all rounds, models and scenarios: a metric without a form would be missing in every
// accuracy.txt.
func TestEveryMetricHasAForm(t *testing.T) {
	walked := map[string]bool{}
	for _, round := range mlconf.Rounds() {
		rules, err := mlconf.Round(round)
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range rules.Models() {
			for _, scenario := range []string{"SingleStream", "MultiStream", "Server", "Interactive", "Offline"} {
				for _, target := range rules.Targets(model, scenario) {
					walked[target.Metric] = true
					if got, ok := ParseAccuracy(target.Metric, printed[target.Metric]); !ok || got != "71.5" {
						t.Errorf("%s, %s, %s: %s of %q is %q, %t", round, model, scenario, target.Metric, printed[target.Metric],
							got, ok)
					}
				}
			}
		}
	}
	if len(walked) != len(printed) {
		t.Errorf("%d metrics in the rounds, %d in this test: a line that no round needs", len(walked), len(printed))
	}
}

// TestMadeUpMetric: a metric that is nothing but a row is read and judged.
func TestMadeUpMetric(t *testing.T) {
	if _, ok := ParseAccuracy(mlconftest.MadeUp, mlconftest.MadeUpText); ok || IsFormKnown(mlconftest.MadeUp) {
		t.Error("a metric without a row has a form")
	}
	mlconftest.AddMadeUp(t)
	if got, ok := ParseAccuracy(mlconftest.MadeUp, mlconftest.MadeUpText); got != "71.5" || !ok ||
		!IsFormKnown(mlconftest.MadeUp) {
		t.Errorf("%q is %q, %t", mlconftest.MadeUpText, got, ok)
	}
	rules, err := mlconf.Round(mlconftest.MadeUpRound)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]judge.Outcome{
		mlconftest.MadeUpText: judge.Pass, "made up = 1": judge.Below, "accuracy=71.5": judge.Informational,
	} {
		if v, err := JudgeAccuracy(rules, "resnet", "Offline", text); err != nil || v.Outcome != want {
			t.Errorf("%s: %+v, %v, want %v", text, v, err, want)
		}
	}
	list, err := CompareMetrics(rules, "resnet", "Offline", mlconftest.MadeUpText, mlconftest.MadeUpText)
	if err != nil || len(list) != 1 || list[0].Baseline != 71.5 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestChangesOfEveryModel compares the texts of each model of each round with themselves, and with those that have no
// figure, which is an error and no difference.
func TestChangesOfEveryModel(t *testing.T) {
	for _, round := range mlconf.Rounds() {
		rules, err := mlconf.Round(round)
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range rules.Models() {
			text := ""
			for _, target := range rules.Targets(model, "") {
				text += printed[target.Metric] + "\n"
			}
			if text == "" {
				continue // a model whose accuracy the round does not judge
			}
			list, err := CompareMetrics(rules, model, "", text, text)
			if err != nil || len(list) == 0 {
				t.Errorf("%s, %s: %v, %v", round, model, list, err)
			}
			for _, c := range list {
				if !c.IsPermitted() || c.Baseline == 0 {
					t.Errorf("%s, %s: %+v", round, model, c)
				}
			}
			for i, texts := range [][2]string{{"", text}, {text, ""}, {"accuracy: none", text}} {
				if list, err := CompareMetrics(rules, model, "", texts[0], texts[1]); err == nil || len(list) > 0 {
					t.Errorf("%s, %s, %d: %v, %v", round, model, i, list, err)
				}
			}
		}
	}
}
