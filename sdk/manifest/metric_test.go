package manifest

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// TestMadeUpMetric checks that a metric's row provides its unit and its direction, and that an entry overrides them. A
// name without a row, and a form that cannot score the metric, must be faults when the plugin starts.
func TestMadeUpMetric(t *testing.T) {
	with := func(metrics, more string) string {
		return `{"models": [{"name": "m"` + more + `, "metrics": [` + metrics + `]}]}`
	}
	const official = `{"name": "made up", "official": "MADE_UP", "target": 40}`
	_, err := readManifest(with(official, ""), folder(), sizes())
	wantAll(t, err, `model "m"`, `metric "made up"`, `"MADE_UP"`, "accuracy.json")
	mlconftest.AddMadeUp(t)
	m, err := readManifest(with(official+`,
		{"name": "otherwise", "official": "MADE_UP", "unit": "", "better": "higher"},
		{"name": "plain", "official": "acc"}, {"name": "length", "official": "GEN_LEN"},
		{"name": "share", "official": "mAP", "unit": ""}, {"name": "own", "unit": "s"}, {"name": "bare"}`,
		`, "endpoints": {"maxTokens": 1}`), folder(), sizes())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, info := range m.Describe().Models[0].Metrics {
		got += fmt.Sprintf("%s %q %q %v; ", info.Name, info.Unit, info.Better, info.Target)
	}
	want := `made up "points" "lower" 40; otherwise "" "higher" 0; plain "%" "" 0; length "characters" "neither" 0; ` +
		`share "" "" 0; own "s" "" 0; bare "" "" 0; `
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if way := m.Models[0].Better("plain"); way != sdk.HigherBetter {
		t.Errorf("plain improves %q", way)
	}
	_, err = readManifest(with(`{"name": "plain", "official": "acc"}`, `, "endpoints": {"maxTokens": 1}`), folder(),
		sizes())
	wantAll(t, err, "no method for acc")
}
