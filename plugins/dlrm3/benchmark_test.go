package dlrm3

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/streaming"
	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestModels(t *testing.T) {
	models := New().Describe().Models
	if len(models) != 1 {
		t.Fatalf("%d models, want dlrm-v3", len(models))
	}
	m := models[0]
	scenarios := []loadgen.Scenario{loadgen.Server, loadgen.Offline}
	if m.Name != "dlrm-v3" || m.LoadGenKey != m.Name || m.RulesKey != m.Name || !slices.Equal(m.Scenarios, scenarios) {
		t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
	}
	if len(m.Datasets) != 2 || m.Datasets[0].Samples != drawnRequests ||
		m.Datasets[1].Samples != 349823 || m.Datasets[1].PerformanceSampleCount != 349823 {
		t.Errorf("data sets %+v, want the embedded one and the official one", m.Datasets)
	}
	for name, better := range map[string]string{"NE": "lower", "accuracy": "higher", "GAUC": "higher"} {
		if got := string(m.Better(name)); got != better {
			t.Errorf("%s is better when %q, want %s", name, got, better)
		}
	}
}

// TestDefaultsAreThoseOfTheData holds the manifest to the reference's data set and to the drawn one.
func TestDefaultsAreThoseOfTheData(t *testing.T) {
	own := preferences.Eval()
	drawn := streaming.RequestOptions{
		TrainPeriods: preferences.TrainPeriods, Items: int64(own.IDs()), Categories: preferences.Categories,
		MaxSequence:   1 + preferences.MaxHistory + preferences.Candidates,
		MaxCandidates: preferences.Candidates,
	}
	for embedded, want := range map[bool]streaming.RequestOptions{true: drawn, false: streaming.OfficialOptions()} {
		s := readSource(&manifest.Request{Params: manifesttest.Params(t, New(), "", embedded, nil)})
		if s.Stream != want || s.Share != 1 || s.Seed != 123 || s.Queries != 0 || s.History != wholeHistory {
			t.Errorf("embedded %v: %+v, want %+v", embedded, s, want)
		}
	}
}
