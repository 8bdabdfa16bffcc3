package check

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestMadeUpMetric: a metric that is nothing but a row is held to its bound, its target and its text.
func TestMadeUpMetric(t *testing.T) {
	mlconftest.AddMadeUp(t)
	for text, want := range map[string]string{
		mlconftest.MadeUpText:    "",
		"made up = 40":           "",
		"made up = 39.9":         "MADE_UP is below its target: 39.9; at least 40",
		"made up = 100.5":        "MADE_UP is over 100 %: 100.5; at most 100",
		"made up = 7.15e1":       "MADE_UP is not a plain number",
		"accuracy=71.5%, good=1": "MADE_UP is missing",
	} {
		got := findingsBy(t, mlconftest.MadeUpRound, treeOf(t, map[string]map[string]string{
			"resnet50/Offline": {"accuracy/accuracy.txt": text + "\nhash=00\n"},
		}, "edge"), "accuracy.txt")
		if want == "" && strings.Contains(got, mlconftest.MadeUp) || !strings.Contains(got, want) {
			t.Errorf("%s: want %q\n%s", text, want, got)
		}
	}
}
