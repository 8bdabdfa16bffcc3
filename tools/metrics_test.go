package tools

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestManifestsNameOfficialMetrics checks that the metrics with a target in a manifest are official and, if scripts
// print them, required of the model by some round.
func TestManifestsNameOfficialMetrics(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root(t), "plugins", "*", "manifest.json"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%d manifests, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			Models []struct {
				Name, RulesKey string
				Metrics        []struct {
					Name, Official string
					Target, Upper  float64
				}
			}
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatal(err)
		}
		for _, model := range manifest.Models {
			asked := askedOf(t, model.RulesKey)
			for _, m := range model.Metrics {
				if m.Target == 0 && m.Upper == 0 {
					continue
				}
				row, err := mlconf.AccuracyMetricOf(m.Official)
				if err != nil || row.HasText() && !slices.Contains(asked, m.Official) {
					t.Errorf("%s: %s has a target of %s, official %q: %v; the rounds ask for %v", file, model.Name, m.Name,
						m.Official, err, asked)
				}
			}
		}
	}
}

// askedOf returns the metrics that rounds require of a model.
func askedOf(t *testing.T, key string) (metrics []string) {
	t.Helper()
	for _, name := range mlconf.RoundsWith(key) {
		rules, err := mlconf.Round(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, scenario := range []string{"Offline", "Server", mlconf.Interactive} {
			for _, target := range rules.Targets(key, scenario) {
				metrics = append(metrics, target.Metric)
			}
		}
	}
	return metrics
}
