package result

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestJudge judges what accuracy scripts print by the targets of a round.
func TestJudge(t *testing.T) {
	const rouge = "{'rouge1': '44.9', 'rouge2': '22.1', 'rougeL': 28.9, 'rougeLsum': 1, 'gen_len': 1, 'gen_num': 24576, " +
		"'tokens_per_sample': TOKENS}\n"
	for name, c := range map[string]struct {
		round, model, text string
		want               judge.Outcome
		basis              string
	}{
		"reached":         {"v5.1", "resnet", "accuracy=76.460%, good=38230, total=50000\n", judge.Pass, "targets of v5.1"},
		"missed":          {"v5.1", "resnet", "accuracy=75.000%, good=37500, total=50000\n", judge.Below, "targets of v5.1"},
		"an older round":  {"v0.5", "mobilenet", "accuracy=70.300%, good=35150, total=50000", judge.Pass, "targets of v0.5"},
		"the last counts": {"v5.1", "resnet", "accuracy=76.5%\naccuracy=12.5%\n", judge.Below, "targets of v5.1"},
		"another metric":  {"v5.1", "resnet", "mAP=23.4\n", judge.Informational, "says nothing of them: acc"},
		"empty":           {"v5.1", "resnet", "", judge.Informational, "says nothing of them: acc"},
		"no such model":   {"v5.1", "my-model", "accuracy=76.5%\n", judge.Informational, "v5.1 has none of my-model"},
		"all of several":  {"v5.1", "llama2-70b-99", strings.Replace(rouge, "TOKENS", "294.4", 1), judge.Pass, "v5.1"},
		"above a limit":   {"v5.1", "llama2-70b-99", strings.Replace(rouge, "TOKENS", "394.4", 1), judge.Above, "v5.1"},
		"below, one gone": {"v5.1", "llama2-70b-99", "{'rouge1': '14.9', 'rouge2': '22.1'}", judge.Below,
			"says nothing of them: ROUGEL"},
	} {
		rules, err := mlconf.Round(c.round)
		if err != nil {
			t.Fatal(err)
		}
		got, err := JudgeAccuracy(rules, c.model, "Offline", c.text)
		if err != nil || got.Outcome != c.want || !strings.Contains(got.Basis, c.basis) {
			t.Errorf("%s: %+v, %v, want %s", name, got, err, c.want)
		}
	}
	rules, err := mlconf.Round("v5.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := JudgeAccuracy(rules, "resnet", "Offline", "accuracy=76.4.6%\n"); err == nil {
		t.Error("76.4.6 is no number")
	}
}
