package resnet50

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestDescribe(t *testing.T) {
	d := New().Describe()
	sdktest.CheckDescription(t, d)
	var names []string
	for _, m := range d.Models {
		names = append(names, m.Name)
		if m.LoadGenKey != m.Name || m.RulesKey != "resnet" || !slices.Equal(m.Scenarios, loadgen.Scenarios()) {
			t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || m.Datasets[1].Samples != 50000 || m.Datasets[1].PerformanceSampleCount != 1024 {
			t.Errorf("%s: data sets %+v, want the embedded one and imagenet", m.Name, m.Datasets)
		}
		if len(m.Metrics) != 1 || m.Metrics[0].Name != "accuracy" || m.Metrics[0].Unit != "%" {
			t.Errorf("%s: metrics %v", m.Name, m.Metrics)
		}
	}
	if want := []string{"resnet50", "mobilenet"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

func TestDefaultsBind(t *testing.T) {
	m, err := readManifest()
	if err != nil {
		t.Fatal(err)
	}
	manifesttest.CheckDefaults(t, m, func(defaults map[string]string) error {
		_, err := bind(defaults, nil)
		return err
	})
}
