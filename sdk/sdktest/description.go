package sdktest

import (
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// maxSmokeDuration is the maximum value of a smoke run's minimum duration.
const maxSmokeDuration = 10 * time.Second

// slowestQuery is the time of a query on the slowest machine for which smoke runs are tested.
const slowestQuery = time.Minute

// maxRoundingError is the maximum relative difference between a target and its share. Some targets in the rules are
// rounded to four digits.
const maxRoundingError = 1e-5

// CheckDescription checks that a benchmark's description contains everything that a user needs: names, summaries,
// licences, notes, references and consistent targets everywhere, existing scenarios, and smoke settings that change
// only durations, counts and rates.
func CheckDescription(t *testing.T, d sdk.Description) {
	t.Helper()
	if d.Name == "" || d.Version == "" || d.Summary == "" || len(d.Models) == 0 {
		t.Errorf("name %q, version %q, summary %q, %d models", d.Name, d.Version, d.Summary, len(d.Models))
	}
	for _, m := range d.Models {
		t.Run(m.Name, func(t *testing.T) {
			checkModelInfo(t, m)
			for _, f := range m.Files {
				checkFile(t, f)
			}
			for _, s := range m.Datasets {
				checkDataset(t, s)
			}
			for _, s := range m.Scenarios {
				checkSmoke(t, m, s)
			}
		})
	}
}

func checkModelInfo(t *testing.T, m sdk.ModelInfo) {
	t.Helper()
	if m.Summary == "" || m.LoadGenKey == "" || m.RulesKey == "" || len(m.Scenarios) == 0 {
		t.Errorf("summary %q, LoadGen key %q, rules key %q, scenarios %v", m.Summary, m.LoadGenKey, m.RulesKey, m.Scenarios)
	}
	for _, metric := range m.Metrics {
		if metric.Better == sdk.LowerBetter && metric.Target == 0 && metric.Share != 0 {
			if math.Abs(metric.Upper*metric.Share-metric.Reference) > maxRoundingError*metric.Upper {
				t.Errorf("%s: upper limit %v, of which %v is not %v", metric.Name, metric.Upper, metric.Share, metric.Reference)
			}
			continue
		}
		if math.Abs(metric.Target-metric.Share*metric.Reference) > maxRoundingError*math.Abs(metric.Target) {
			t.Errorf("%s: target %v, want %v of %v", metric.Name, metric.Target, metric.Share, metric.Reference)
		}
	}
	if len(m.Metrics) == 0 {
		t.Error("no metrics")
	}
	for _, p := range m.Params {
		if p.Name == "" || p.Help == "" {
			t.Errorf("parameter %q: help %q", p.Name, p.Help)
		}
	}
}

func checkFile(t *testing.T, f sdk.ModelFile) {
	t.Helper()
	if f.Name == "" || f.Precision == "" || f.Licence == "" || f.Note == "" {
		t.Errorf("file %q: precision %q, licence %q, note %q", f.Name, f.Precision, f.Licence, f.Note)
	}
	if f.Embedded {
		if f.URL != "" || f.Size <= 0 || len(f.SHA256) != 64 || len(f.Reference) == 0 {
			t.Errorf("embedded file %s: url %q, %d bytes, sha256 %q, reference %v", f.Name, f.URL, f.Size, f.SHA256, f.Reference)
		}
		return
	}
	if u, err := url.Parse(f.URL); f.URL != "" && (err != nil || u.Scheme != "https") {
		t.Errorf("%s: url %q, want https", f.Name, f.URL)
	}
	if f.URL == "" && !strings.Contains(f.Note, "http") {
		t.Errorf("%s: no url, and a note that does not say where to get it: %q", f.Name, f.Note)
	}
}

func checkDataset(t *testing.T, d sdk.DatasetInfo) {
	t.Helper()
	if d.Samples <= 0 || d.PerformanceSampleCount <= 0 || d.PerformanceSampleCount > d.Samples {
		t.Errorf("data set %s: %d samples, %d in memory", d.Name, d.Samples, d.PerformanceSampleCount)
	}
	if d.Name == "" || d.Layout == "" || d.Licence == "" || d.Note == "" {
		t.Errorf("data set %q: layout %q, licence %q, note %q", d.Name, d.Layout, d.Licence, d.Note)
	}
}

// checkSmoke loads a scenario's smoke settings like a run, and checks that they change only settings that a smoke run
// may change.
func checkSmoke(t *testing.T, m sdk.ModelInfo, scenario loadgen.Scenario) {
	t.Helper()
	var overrides []mlconf.Override
	for _, s := range m.Smoke {
		overrides = append(overrides, mlconf.Override{Scenario: s.Scenario, Key: s.Key, Value: s.Value})
	}
	layers := []mlconf.Layer{mlconf.Smoke("smoke", overrides...)}
	smoke, err := mlconf.Load(mlconf.Options{
		Model: m.LoadGenKey, Scenario: scenario, Mode: loadgen.PerformanceOnly, Layers: layers,
	})
	if err != nil {
		t.Fatal(err)
	}
	if smoke.MinDuration > maxSmokeDuration {
		t.Errorf("%v: min_duration %v, want seconds", scenario, smoke.MinDuration)
	}
	checkAnyPace(t, smoke.TestSettings)
	// make the settings equal that may differ, then compare
	may := smoke.Rules()
	may.MinDuration, may.MinQueryCount = smoke.MinDuration, smoke.MinQueryCount
	may.PerformanceSampleCountOverride = smoke.PerformanceSampleCountOverride
	may.SingleStreamExpectedLatency = smoke.SingleStreamExpectedLatency
	may.MultiStreamExpectedLatency = smoke.MultiStreamExpectedLatency
	may.SingleStreamExpectedLatencyFraction = smoke.SingleStreamExpectedLatencyFraction
	may.MultiStreamExpectedLatencyFraction = smoke.MultiStreamExpectedLatencyFraction
	may.ServerTargetQPS, may.OfflineExpectedQPS = smoke.ServerTargetQPS, smoke.OfflineExpectedQPS
	if may != smoke.TestSettings {
		t.Errorf("%v: smoke settings change what must stay official:\n%+v\n%+v", scenario, smoke.TestSettings, may)
	}
}

// checkAnyPace runs a smoke run on virtual time. It must be VALID if queries are answered at once. Except in Server,
// whose latency limit is that of the rules, it must also be VALID if they take very long.
func checkAnyPace(t *testing.T, s loadgen.TestSettings) {
	t.Helper()
	for _, takes := range []time.Duration{0, slowestQuery} {
		if s.Scenario == loadgen.Server && takes > 0 {
			continue
		}
		clock := &loadgentest.Clock{}
		sut := &loadgentest.Script{
			Clock:   clock,
			Latency: func(loadgen.QuerySample) time.Duration { return takes },
			Tokens:  func(loadgen.QuerySample) int64 { return 2 },
		}
		if s.UseTokenLatencies {
			sut.FirstToken = func(loadgen.QuerySample) time.Duration { return takes / 2 }
		}
		ctx := loadgentest.WithClock(t.Context(), clock)
		r, err := loadgen.StartTest(ctx, sut, loadgentest.QSL{Total: anyPaceSamples}, s, loadgen.LogSettings{})
		if err != nil {
			t.Fatalf("%v: a smoke run whose queries take %v: %v", s.Scenario, takes, err)
		}
		if r.Verdict != loadgen.Valid {
			t.Errorf("%v: a smoke run whose queries take %v is %v: %+v", s.Scenario, takes, r.Verdict, r.Reasons)
		}
	}
}

// anyPaceSamples is the size of the data set of such a run.
const anyPaceSamples = 1024
