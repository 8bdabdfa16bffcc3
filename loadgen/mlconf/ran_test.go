package mlconf_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// ran contains statistics of a round's published runs, from testdata/ran/vN.N.json, which tools/roundfacts writes.
type ran struct {
	Round        string
	Runs, Audits []ranRuns
	Accuracies   []ranFigures
}

// ranRuns describes the closed division's VALID performance runs of a model in a scenario.
type ranRuns struct {
	Test, Model, Scenario string
	Runs                  int
	Settings              map[string]map[string]int // number of runs by setting and value
}

// ranFigures contains accuracies as printed by a script.
type ranFigures struct {
	Model, Figure string
	Texts         int
	Lowest        []string
}

// eachRan calls use with the statistics of each round that has them.
func eachRan(t *testing.T, use func(t *testing.T, r *mlconf.Rules, facts ran)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "ran", "v*.json"))
	if err != nil || len(paths) != 6 {
		t.Fatalf("%d files of facts, want 6 (%v)", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var facts ran
		if err := json.Unmarshal(text, &facts); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		t.Run(facts.Round, func(t *testing.T) { use(t, rules(t, facts.Round), facts) })
	}
}

// otherModels lists folders of models that their round does not have.
var otherModels = []string{"ssd-mobilenet-non-quantized"}

// modelOf returns the rules' name of a model's folder.
func modelOf(r *mlconf.Rules, folder string) string {
	if name := strings.ReplaceAll(folder, "llama3_1", "llama3.1"); !r.Has(folder) && r.Has(name) {
		return name
	}
	return folder
}

// TestSettingsAreThoseThatRan compares each round's settings with its published runs. If a setting is a minimum, a
// published run must have exactly that value, or most must have a larger one.
func TestSettingsAreThoseThatRan(t *testing.T) {
	eachRan(t, func(t *testing.T, r *mlconf.Rules, facts ran) {
		compared := 0
		for _, runs := range facts.Runs {
			model := modelOf(r, runs.Model)
			if !r.Has(model) && !slices.Contains(otherModels, runs.Model) {
				t.Errorf("%d runs of %s, which the round has not", runs.Runs, runs.Model)
			}
			if r.Has(model) {
				compared += compareRuns(t, r, model, runs)
			}
		}
		if compared < 100 {
			t.Errorf("%d values compared, want 100 or more", compared)
		}
	})
}

// compareRuns compares a model's settings with its runs and returns the number of compared values.
func compareRuns(t *testing.T, r *mlconf.Rules, model string, runs ranRuns) (compared int) {
	t.Helper()
	name := strings.Replace(runs.Scenario, "Interactive", "Server", 1)
	scenario, err := loadgen.ParseScenario(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mlconf.Load(mlconf.Options{Rules: r.Name, Model: r.LoadGenModel(model, runs.Scenario), RulesModel: model,
		Scenario: scenario, Mode: loadgen.PerformanceOnly})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range wantedOf(s, scenario) {
		values := runs.Settings[key]
		if len(values) == 0 {
			continue
		}
		compared++
		if most := slices.Max(slices.Collect(maps.Values(values))); values[want] != most {
			t.Errorf("%s %s: %s is %s, the published runs have %v", model, runs.Scenario, key, want, values)
		}
	}
	for key, least := range minOf(r, s, model, scenario) {
		values := runs.Settings[key]
		if len(values) == 0 || least == 0 {
			continue
		}
		compared++
		if values[strconv.FormatUint(least, 10)] == 0 && below(t, values, least) > runs.Runs/2 {
			t.Errorf("%s %s: %s is %d at least, the published runs have %v", model, runs.Scenario, key, least, values)
		}
	}
	return compared
}

// wantedOf returns the settings that must be equal in all runs, in the form of logs.
func wantedOf(s mlconf.Settings, scenario loadgen.Scenario) map[string]string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	want := map[string]string{
		"qsl_rng_seed":                   strconv.FormatUint(s.QSLRNGSeed, 10),
		"sample_index_rng_seed":          strconv.FormatUint(s.SampleIndexRNGSeed, 10),
		"schedule_rng_seed":              strconv.FormatUint(s.ScheduleRNGSeed, 10),
		"sample_concatenate_permutation": strconv.FormatBool(s.SampleConcatenatePermutation),
	}
	switch scenario {
	case loadgen.SingleStream:
		want["target_latency_percentile"] = number(s.SingleStreamTargetLatencyPercentile)
	case loadgen.MultiStream:
		want["target_latency_percentile"] = number(s.MultiStreamTargetLatencyPercentile)
		if interval := s.MultiStreamArrivalInterval; interval > 0 {
			want["target_latency_ns"] = strconv.FormatInt(int64(interval), 10)
			want["target_qps"] = number(float64(time.Second) / float64(interval))
		} else {
			want["samples_per_query"] = strconv.FormatUint(s.MultiStreamSamplesPerQuery, 10)
		}
	case loadgen.Server:
		want["target_latency_percentile"] = number(s.ServerTargetLatencyPercentile)
		want["target_latency_ns"] = strconv.FormatInt(int64(s.ServerTargetLatency), 10)
		want["server_ttft_latency"] = strconv.FormatInt(int64(s.ServerTTFTLatency), 10)
		want["server_tpot_latency"] = strconv.FormatInt(int64(s.ServerTPOTLatency), 10)
		want["use_token_latencies"] = strconv.FormatBool(s.UseTokenLatencies)
	}
	return want
}

// minOf returns the minima of a model's runs.
func minOf(r *mlconf.Rules, s mlconf.Settings, model string, scenario loadgen.Scenario) map[string]uint64 {
	least := map[string]uint64{
		"min_duration_ms":          uint64(s.MinDuration.Milliseconds()),
		"min_query_count":          s.MinQueryCount,
		"performance_sample_count": max(s.PerformanceSampleCountOverride, r.PerformanceSampleCount(model)),
	}
	if scenario == loadgen.Offline {
		least["min_sample_count"] = s.MinQueryCount
	}
	return least
}

// below returns the number of runs with a lower value.
func below(t *testing.T, values map[string]int, least uint64) (runs int) {
	t.Helper()
	for text, n := range values {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if v < float64(least) {
			runs += n
		}
	}
	return runs
}

// figureOf maps the rules' metrics to their names in accuracy scripts.
var figureOf = map[string]string{
	"acc": "accuracy", "mAP": "mAP", "bleu": "BLEU", "F1": "f1", "WER": "accuracy", "ACCURACY": "accuracy", "AUC": "AUC",
	"DICE": "mean", "ROUGE1": "rouge1", "ROUGE2": "rouge2", "ROUGEL": "rougeL", "ROUGELSUM": "rougeLsum",
	"GEN_LEN": "gen_len", "TOKENS_PER_SAMPLE": "tokens_per_sample", "CLIP_SCORE": "CLIP_SCORE", "FID_SCORE": "FID_SCORE",
	"gsm8k_accuracy": "gsm8k", "mbxp_accuracy": "mbxp", "exact_match": "exact_match", "vbench_score": "vbench_score",
	"F1_HIERARCHICAL": "f1",
}

// TestTargetsAreThoseThatWereReached checks that the closed division's published accuracies reach the round's targets.
func TestTargetsAreThoseThatWereReached(t *testing.T) {
	eachRan(t, func(t *testing.T, r *mlconf.Rules, facts ran) {
		compared := 0
		for _, f := range facts.Accuracies {
			for _, target := range r.Targets(modelOf(r, f.Model), "") {
				if target.Upper || figureOf[target.Metric] != f.Figure {
					continue
				}
				compared++
				if lowest, err := strconv.ParseFloat(f.Lowest[0], 64); err != nil || lowest < target.Value {
					t.Errorf("%s: %s %g at least, published are %v of %d", f.Model, f.Figure, target.Value, f.Lowest, f.Texts)
				}
			}
		}
		if compared < 5 {
			t.Errorf("%d figures compared", compared)
		}
	})
}
