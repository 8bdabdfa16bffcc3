package suite

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// ownModels are the models of all plugins in the checkout, by their manifests.
func ownModels(t *testing.T) []sdk.ModelInfo {
	t.Helper()
	paths, err := filepath.Glob("../../../../plugins/*/manifest.json")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d manifests of plugins: %v", len(paths), err)
	}
	var all []sdk.ModelInfo
	for _, path := range paths {
		var manifest struct {
			Models []struct {
				Name, RulesKey, LoadGenKey string
				Scenarios                  []string
			}
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &manifest)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, m := range manifest.Models {
			var scenarios []loadgen.Scenario
			for _, name := range m.Scenarios {
				s, err := loadgen.ParseScenario(name)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				scenarios = append(scenarios, s)
			}
			all = append(all, model(m.Name, m.RulesKey, m.LoadGenKey, scenarios...))
		}
	}
	return all
}

// TestEveryRoundIsWhole: each benchmark of each round has a plugin here, but for GPT-3.
func TestEveryRoundIsWhole(t *testing.T) {
	models, made := ownModels(t), 0
	for _, name := range mlconf.Rounds() {
		rules, err := mlconf.Round(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewRoundSuite(rules, RoundModels{All: models}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, b := range s.Benchmarks {
			if without := strings.HasPrefix(b.Name, "gpt3-99"); (b.Left != "") != without {
				t.Errorf("%s: %s is left out: %q", name, b.Name, b.Left)
			}
			made += len(b.Models)
		}
	}
	if made == 0 {
		t.Error("no benchmark is run")
	}
}
