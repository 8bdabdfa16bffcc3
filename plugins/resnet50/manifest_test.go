package resnet50

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

func TestDescribe(t *testing.T) {
	d := New().Describe()
	if d.Name != "resnet50" || d.Version == "" || d.Summary == "" {
		t.Errorf("name %q, version %q, summary %q", d.Name, d.Version, d.Summary)
	}
	var names []string
	for _, m := range d.Models {
		names = append(names, m.Name)
		t.Run(m.Name, func(t *testing.T) { checkModel(t, m) })
	}
	if want := []string{"resnet50", "mobilenet"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

func checkModel(t *testing.T, m sdk.ModelInfo) {
	if m.Summary == "" || m.LoadGenKey != m.Name || m.RulesKey != "resnet" {
		t.Errorf("summary %q, LoadGen key %q, rules key %q", m.Summary, m.LoadGenKey, m.RulesKey)
	}
	if !slices.Equal(m.Scenarios, loadgen.Scenarios()) {
		t.Errorf("scenarios %v, want all", m.Scenarios)
	}
	checkFiles(t, m.Files)
	checkDatasets(t, m.Datasets)
	for _, metric := range m.Metrics {
		if math.Abs(metric.Target-metric.Share*metric.Reference) > 1e-9 {
			t.Errorf("%s: target %v, want %v of %v", metric.Name, metric.Target, metric.Share, metric.Reference)
		}
	}
	if len(m.Metrics) != 1 || m.Metrics[0].Name != "accuracy" || m.Metrics[0].Unit != "%" {
		t.Errorf("metrics %v", m.Metrics)
	}
	for _, p := range m.Params {
		if p.Default == "" || p.Help == "" {
			t.Errorf("parameter %q: default %q, help %q", p.Name, p.Default, p.Help)
		}
	}
	checkSmoke(t, m)
}

func checkFiles(t *testing.T, files []sdk.ModelFile) {
	embedded := map[string]bool{}
	official := 0
	for _, f := range files {
		if f.Licence == "" || f.Note == "" || len(f.Reference) != 1 || f.Reference[0].Value <= 0 {
			t.Errorf("%s: licence %q, note %q, reference %v", f.Name, f.Licence, f.Note, f.Reference)
		}
		if f.Embedded {
			embedded[f.Precision] = f.URL == ""
			continue
		}
		official++
		if u, err := url.Parse(f.URL); err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Path, "/"+f.Name) {
			t.Errorf("%s: url %q, want https and a path that ends in the name", f.Name, f.URL)
		}
	}
	if len(embedded) != 2 || !embedded["fp32"] || !embedded["int8"] || official != 1 {
		t.Errorf("embedded files %v and %d official ones, want fp32, int8 and 1", embedded, official)
	}
}

func checkDatasets(t *testing.T, sets []sdk.DatasetInfo) {
	if len(sets) != 2 || !sets[0].Embedded || sets[1].Embedded {
		t.Fatalf("data sets %+v, want the embedded one and imagenet", sets)
	}
	for _, d := range sets {
		if d.Samples <= 0 || d.PerformanceSampleCount <= 0 || d.PerformanceSampleCount > d.Samples || d.Layout == "" || d.Licence == "" || d.Note == "" {
			t.Errorf("%+v", d)
		}
	}
	if sets[1].Samples != 50000 || sets[1].PerformanceSampleCount != 1024 || len(sets[1].Archives) != 0 {
		t.Errorf("imagenet: %+v, want 50000 pictures, 1024 in memory, nothing to download", sets[1])
	}
}

// checkSmoke loads the smoke settings as a run does, and holds them to what a smoke run may change.
func checkSmoke(t *testing.T, m sdk.ModelInfo) {
	for _, scenario := range loadgen.Scenarios() {
		official, err := mlconf.Load(mlconf.Options{Model: m.LoadGenKey, Scenario: scenario})
		if err != nil {
			t.Fatal(err)
		}
		var overrides []mlconf.Override
		for _, s := range m.Smoke {
			if s.Scenario == scenario {
				overrides = append(overrides, mlconf.Override{Key: s.Key, Value: s.Value, Source: "smoke"})
			}
		}
		smoke, err := mlconf.Load(mlconf.Options{Model: m.LoadGenKey, Scenario: scenario, Overrides: overrides})
		if err != nil {
			t.Fatal(err)
		}
		if smoke.MinDuration > 10*time.Second || smoke.MinDuration == 0 {
			t.Errorf("%v: min_duration %v, want seconds", scenario, smoke.MinDuration)
		}
		// What may differ is made equal: the rest has to be.
		may := official.TestSettings
		may.MinDuration, may.MinQueryCount, may.PerformanceSampleCountOverride = smoke.MinDuration, smoke.MinQueryCount, smoke.PerformanceSampleCountOverride
		may.SingleStreamExpectedLatency, may.MultiStreamExpectedLatency = smoke.SingleStreamExpectedLatency, smoke.MultiStreamExpectedLatency
		may.SingleStreamExpectedLatencyFraction, may.MultiStreamExpectedLatencyFraction = smoke.SingleStreamExpectedLatencyFraction, smoke.MultiStreamExpectedLatencyFraction
		may.ServerTargetQPS, may.OfflineExpectedQPS = smoke.ServerTargetQPS, smoke.OfflineExpectedQPS
		if may != smoke.TestSettings {
			t.Errorf("%v: smoke settings change what must stay official:\n%+v\n%+v", scenario, smoke.TestSettings, may)
		}
	}
}

func TestDescribeTwiceIsEqual(t *testing.T) {
	a, b := New().Describe(), New().Describe()
	if len(a.Models[0].Files) != len(b.Models[0].Files) || len(a.Models[0].Smoke) != len(b.Models[0].Smoke) {
		t.Errorf("%+v\n%+v", a, b)
	}
	for i := range a.Models[0].Smoke {
		if a.Models[0].Smoke[i] != b.Models[0].Smoke[i] {
			t.Errorf("smoke setting %d: %v, then %v", i, a.Models[0].Smoke[i], b.Models[0].Smoke[i])
		}
	}
}

func TestDefaultsBind(t *testing.T) {
	m, err := readManifest(manifestText)
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]map[string]string{"embedded": m.Embedded.Defaults}
	for _, e := range m.Models {
		defaults[e.Name] = e.Defaults
	}
	for name, d := range defaults {
		if _, err := bind(d, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadManifestReportsEveryFault(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"not JSON", `{`, []string{"unexpected EOF"}},
		{"unknown field", `{"modles": []}`, []string{`"modles"`}},
		{"nothing in it", `{}`, []string{"no models"}},
		{
			"several",
			`{"params": [{"name": "a"}], "embedded": {"defaults": {}, "smoke": [{"scenario": "Batch"}]},
			  "models": [{"name": "m", "scenarios": ["Multi"], "defaults": {"b": ""}}]}`,
			[]string{`"Batch"`, `"Multi"`, `embedded: parameter "a" has no default`, `m: parameter "a" has no default`, `unknown parameter "b"`},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := readManifest(c.text)
			wantAll(t, err, c.want...)
		})
	}
}

// wantAll fails unless err's text holds every one of the parts.
func wantAll(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one about %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want it to hold %q", err, p)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	f.Add(manifestText)
	f.Add(`{"models": [{"name": "m", "scenarios": ["Server"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := readManifest(text)
		if err == nil && len(m.Models) == 0 {
			t.Fatal("passed without a model")
		}
	})
}
