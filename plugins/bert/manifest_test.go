package bert

import (
	"errors"
	"slices"
	"testing"

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
		if m.LoadGenKey != "bert" || m.RulesKey != m.Name || !slices.Equal(m.Scenarios, []loadgen.Scenario{loadgen.SingleStream, loadgen.Server, loadgen.Offline}) {
			t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || m.Datasets[1].Samples != 10833 || m.Datasets[1].PerformanceSampleCount != 10833 {
			t.Errorf("%s: data sets %+v, want the embedded one and squad", m.Name, m.Datasets)
		}
	}
	if want := []string{"bert-99", "bert-99.9"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

func TestDefaultsBind(t *testing.T) {
	m, err := readManifest()
	if err != nil {
		t.Fatal(err)
	}
	manifesttest.CheckDefaults(t, m, func(defaults map[string]string) error {
		_, bindErr := bind(manifest.Values(defaults, nil))
		_, scoringErr := parseScoring(manifest.Values(defaults, nil))
		return errors.Join(bindErr, scoringErr)
	})
}
