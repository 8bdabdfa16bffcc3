package dlrm

import (
	"errors"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/clicks"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestDescribe(t *testing.T) {
	d := New().Describe()
	sdktest.CheckDescription(t, d)
	var names []string
	for _, m := range d.Models {
		names = append(names, m.Name)
		if m.LoadGenKey != m.Name || m.RulesKey != m.Name+"-99" || !slices.Equal(m.Scenarios, []loadgen.Scenario{loadgen.Server, loadgen.Offline}) {
			t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || m.Datasets[0].Samples != drawnSamples || m.Datasets[1].PerformanceSampleCount != performanceSamples {
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

func TestDefaultsBind(t *testing.T) {
	m, err := readManifest()
	if err != nil {
		t.Fatal(err)
	}
	manifesttest.CheckDefaults(t, m, func(defaults map[string]string) error {
		_, bindErr := bind(defaults)
		_, sourceErr := parseSource(defaults, "", 0)
		_, formErr := parseForm(defaults)
		return errors.Join(bindErr, sourceErr, formErr)
	})
}

// TestEmbeddedRows holds the rows that the manifest names to those that the data set draws from.
func TestEmbeddedRows(t *testing.T) {
	m, err := readManifest()
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSource(manifest.Values(m.Embedded.Defaults, nil), "", 0)
	if want := clicks.Rows(); err != nil || !slices.Equal(s.log.Rows, want[:]) {
		t.Errorf("rows %v, want %v: %v", s.log.Rows, want, err)
	}
}
