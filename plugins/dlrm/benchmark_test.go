package dlrm

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestModels(t *testing.T) {
	scenarios := []loadgen.Scenario{loadgen.Server, loadgen.Offline}
	var names []string
	for _, m := range New().Describe().Models {
		names = append(names, m.Name)
		if m.LoadGenKey != m.Name || m.RulesKey != m.Name+"-99" || !slices.Equal(m.Scenarios, scenarios) {
			t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || m.Datasets[0].Samples != drawnSamples || m.Datasets[1].PerformanceSampleCount != 204800 {
			t.Errorf("%s: data sets %+v, want the embedded one and an official one", m.Name, m.Datasets)
		}
		if len(m.Metrics) != 1 || m.Metrics[0].Name != "AUC" || m.Metrics[0].Unit != "%" {
			t.Errorf("%s: metrics %v", m.Name, m.Metrics)
		}
	}
	if want := []string{"dlrm-v2", "dlrm"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

// TestEmbeddedRows holds the rows that the manifest names to those that the data set draws from.
func TestEmbeddedRows(t *testing.T) {
	s := readSource(&manifest.Request{Params: manifesttest.Params(t, New(), "", true, nil)})
	if want := clicks.Rows(); !slices.Equal(s.Log.Rows, want[:]) {
		t.Errorf("rows %v, want %v", s.Log.Rows, want)
	}
}
