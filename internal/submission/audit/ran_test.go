package audit

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// ranAudits are the settings that the published runs of a round's compliance tests had: how many runs had a value.
type ranAudits struct {
	Round  string
	Audits []struct {
		Test, Model, Scenario string
		Settings              map[string]map[string]int
	}
}

// TestConfigurationsAreThoseThatRan: each round's audits are configured as those of its published results.
func TestConfigurationsAreThoseThatRan(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "loadgen", "mlconf", "testdata", "ran", "v*.json"))
	if err != nil || len(paths) != 6 {
		t.Fatalf("%d files of facts, want 6 (%v)", len(paths), err)
	}
	compared := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var facts ranAudits
		if err := json.Unmarshal(text, &facts); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		rules := rulesOf(t, facts.Round)
		for _, a := range facts.Audits {
			if !rules.Has(a.Model) {
				continue
			}
			scenario, err := loadgen.ParseScenario(strings.Replace(a.Scenario, "Interactive", "Server", 1))
			if err != nil {
				t.Fatal(err)
			}
			config, err := ConfigOf(rules, a.Test, a.Model)
			if err != nil {
				if a.Test != "TEST03" { // of v0.5, which needs other data
					t.Errorf("%s: %v", facts.Round, err)
				}
				continue
			}
			for key, want := range settingsOf(t, rules, config, a.Model, scenario) {
				values := a.Settings[key]
				if len(values) == 0 {
					continue
				}
				compared++
				if !agrees(config, key, want, values) {
					t.Errorf("%s, %s of %s, %s: %s is %s, the published runs have %v", facts.Round, a.Test, a.Model, a.Scenario,
						key, want, values)
				}
			}
		}
	}
	if compared < 500 {
		t.Errorf("%d values compared", compared)
	}
}

// agrees says whether published runs had a value: most of them where the test's configuration sets it, some of them
// where the round does. Of v0.5 every share of answers was taken, and phones ran audits with seeds of 0.
func agrees(config Config, key, want string, values map[string]int) bool {
	most := maxOf(values)
	switch own := slices.ContainsFunc(config.Settings, func(s mlconf.Override) bool { return s.Key == key }); {
	case key == logShareKey && own:
		return most != "0"
	case own:
		return values[want] == values[most] || isPermittedIncrease(key, most, want)
	}
	return values[want] > 0
}

// settingsOf are what a configuration makes of a run, as logs write it.
func settingsOf(
	t *testing.T, rules *mlconf.Rules, config Config, model string, scenario loadgen.Scenario,
) map[string]string {
	t.Helper()
	s, err := mlconf.Load(mlconf.Options{Rules: rules.Name, Model: rules.LoadGenModel(model, ""), RulesModel: model,
		Scenario: scenario, Mode: loadgen.PerformanceOnly, Layers: []mlconf.Layer{config.Layer()}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Test05 {
		s.QSLRNGSeed, s.SampleIndexRNGSeed, s.ScheduleRNGSeed =
			s.Test05QSLRNGSeed, s.Test05SampleIndexRNGSeed, s.Test05ScheduleRNGSeed
	}
	want := map[string]string{"accuracy_log_probability": strconv.FormatFloat(s.AccuracyLogProbability, 'g', 6, 64)}
	for key, v := range map[string]uint64{
		"qsl_rng_seed": s.QSLRNGSeed, "sample_index_rng_seed": s.SampleIndexRNGSeed, "schedule_rng_seed": s.ScheduleRNGSeed,
		"accuracy_log_rng_seed": s.AccuracyLogRNGSeed, "accuracy_log_sampling_target": s.AccuracyLogSamplingTarget,
		"performance_issue_same_index": s.PerformanceIssueSameIndex,
	} {
		want[key] = strconv.FormatUint(v, 10)
	}
	want["performance_issue_unique"] = strconv.FormatBool(s.PerformanceIssueUnique)
	want["performance_issue_same"] = strconv.FormatBool(s.PerformanceIssueSame)
	return want
}

// maxOf is the value of most runs.
func maxOf(values map[string]int) string {
	return slices.MaxFunc(slices.Sorted(maps.Keys(values)), func(a, b string) int { return values[a] - values[b] })
}
