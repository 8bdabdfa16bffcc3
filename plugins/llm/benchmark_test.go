package llm

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New(), "tokenizer=embedded") }

func TestModelsOfTheManifest(t *testing.T) {
	d := New().Describe()
	var names []string
	for _, m := range d.Models {
		names = append(names, m.Name)
		if m.LoadGenKey == "" || m.RulesKey == "" || len(m.Metrics) == 0 || len(m.Datasets) != 2 {
			t.Errorf("%s: keys %q and %q, %d metrics, %d data sets", m.Name, m.LoadGenKey, m.RulesKey,
				len(m.Metrics), len(m.Datasets))
		}
		for _, metric := range m.Metrics {
			if metric.Name == "mbxp_python" { // a part of mbxp, which nobody has a target for
				continue
			}
			if metric.Target <= 0 || metric.Target > metric.Reference || metric.Upper != 0 && metric.Upper < metric.Reference {
				t.Errorf("%s: %s has reference %v, target %v, upper limit %v", m.Name, metric.Name, metric.Reference,
					metric.Target, metric.Upper)
			}
		}
	}
	want := []string{"llama3.1-8b", "llama3.1-8b-interactive", "llama3.1-8b-edge", "llama2-70b", "llama2-70b-interactive",
		"llama3.1-405b", "llama3.1-405b-interactive", "mixtral-8x7b", "gptj"}
	if !slices.Equal(names, want) {
		t.Errorf("models %v, want %v", names, want)
	}
}
