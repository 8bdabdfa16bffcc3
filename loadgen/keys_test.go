package loadgen_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// keyRule describes a key that the submission checker reads: the runs in which it must occur, and its type.
type keyRule struct {
	key  string
	kind string // int (not negative), double, bool, text
	in   func(s loadgen.TestSettings) bool
}

func logAlways(loadgen.TestSettings) bool       { return true }
func judged(s loadgen.TestSettings) bool        { return s.Mode != loadgen.AccuracyOnly }
func logWithTokens(s loadgen.TestSettings) bool { return s.UseTokenLatencies }

// earlyStopped reports whether a run has early-stopping results. Runs of v0.5 to v1.1 have none.
func earlyStopped(s loadgen.TestSettings) bool { return judged(s) && !s.NoEarlyStopping }

// estimatedIn selects the early-stopping results of some scenarios.
func estimatedIn(scenarios ...loadgen.Scenario) func(loadgen.TestSettings) bool {
	in := judgedIn(false, scenarios...)
	return func(s loadgen.TestSettings) bool { return in(s) && !s.NoEarlyStopping }
}

func hasArrivalInterval(s loadgen.TestSettings) bool {
	return judged(s) && s.MultiStreamArrivalInterval > 0
}

// judgedIn selects the results of some scenarios.
func judgedIn(tokens bool, scenarios ...loadgen.Scenario) func(loadgen.TestSettings) bool {
	return func(s loadgen.TestSettings) bool {
		for _, sc := range scenarios {
			if s.Scenario == sc {
				return judged(s) && (!tokens || s.UseTokenLatencies)
			}
		}
		return false
	}
}

var (
	ss, ms, sv, of = loadgen.SingleStream, loadgen.MultiStream, loadgen.Server, loadgen.Offline

	checkerKeys = []keyRule{
		{"effective_scenario", "text", logAlways},
		{"effective_samples_per_query", "int", logAlways},
		{"effective_target_latency_ns", "int", logAlways},
		{"effective_min_duration_ms", "int", logAlways},
		{"effective_min_query_count", "int", logAlways},
		{"effective_performance_sample_count", "int", logAlways},
		{"effective_accuracy_sample_count", "int", logAlways},
		{"effective_sample_concatenate_permutation", "bool", logAlways},
		{"effective_qsl_rng_seed", "int", logAlways},
		{"effective_sample_index_rng_seed", "int", logAlways},
		{"effective_schedule_rng_seed", "int", logAlways},
		{"qsl_reported_total_count", "int", logAlways},
		{"requested_use_token_latencies", "bool", logWithTokens},
		{"sut_name", "text", logAlways},
		{"power_begin", "text", logAlways},
		{"power_end", "text", logAlways},
		{"result_validity", "text", judged},
		{"result_query_count", "int", judged},
		{"early_stopping_met", "bool", earlyStopped},
		{"early_stopping_result", "text",
			func(s loadgen.TestSettings) bool { return earlyStopped(s) && !s.UseTokenLatencies }},
		{"early_stopping_latency_ss", "int", estimatedIn(ss)},
		{"early_stopping_latency_ms", "int", estimatedIn(ss, ms)},
		{"result_mean_latency_ns", "int", judged},
		{"result_99.00_percentile_latency_ns", "int", judged},
		{"result_mean_query_latency_ns", "int", judgedIn(false, ms)},
		{"result_qps_without_loadgen_overhead", "double", judgedIn(false, ss)},
		{"result_completed_samples_per_sec", "double", judgedIn(false, sv)},
		{"result_samples_per_second", "double", judgedIn(false, of)},
		{"result_first_token_99.00_percentile_latency_ns", "int", judgedIn(true, ss, ms, sv)},
		{"result_time_per_output_token_99.00_percentile_ns", "int", judgedIn(true, ss, ms, sv)},
		{"result_completed_tokens_per_second", "double", judgedIn(true, ss, ms, sv)},
		{"result_tokens_per_second", "double", judgedIn(true, of)},
		{"result_inferred_completed_tokens_per_second", "double", judgedIn(true, sv)},
		{"result_inferred_tokens_per_second", "double", judgedIn(true, of)},
		// Keys of runs at an arrival interval, which only our logs have.
		{"requested_no_early_stopping", "bool", func(s loadgen.TestSettings) bool { return s.NoEarlyStopping }},
		{"requested_multi_stream_arrival_interval_ns", "int",
			func(s loadgen.TestSettings) bool { return s.MultiStreamArrivalInterval > 0 }},
		{"result_skipped_interval_count", "int", hasArrivalInterval},
		{"result_overtime_query_count", "int", hasArrivalInterval},
		{"result_allowed_overtime_query_count", "int", hasArrivalInterval},
	}
)

// In all scenarios and modes, with and without tokens and in the rounds without early stopping, the detail log contains
// every key that the submission checker reads, with the right type, and no key that does not belong to the run.
func TestKeysOfTheSubmissionChecker(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		for mode := loadgen.SubmissionRun; mode <= loadgen.FindPeakPerformance; mode++ {
			if mode == loadgen.FindPeakPerformance && scenario != loadgen.Server {
				continue
			}
			name := fmt.Sprintf("%v/%v/", scenario, mode)
			s := quick(scenario, mode)
			t.Run(name+"plain", func(t *testing.T) { checkKeys(t, s) })
			t.Run(name+"tokens", func(t *testing.T) { checkKeys(t, counting(s)) })
			t.Run(name+"legacy", func(t *testing.T) { checkKeys(t, legacy(s)) })
		}
	}
}

// counting returns settings of a token run of s with inferred tokens.
func counting(s loadgen.TestSettings) loadgen.TestSettings {
	s.UseTokenLatencies, s.InferTokenLatencies, s.TokenLatencyScalingFactor = true, true, 7
	return s
}

// legacy returns settings of a run of v0.5 of s.
func legacy(s loadgen.TestSettings) loadgen.TestSettings {
	s.NoEarlyStopping = true
	if s.Scenario == loadgen.MultiStream {
		s.MultiStreamArrivalInterval, s.MultiStreamCountDropped = 50*time.Millisecond, true
	}
	return s
}

func checkKeys(t *testing.T, s loadgen.TestSettings) {
	dir := t.TempDir()
	sut := newCapacity(time.Millisecond)
	sut.FirstToken = func(loadgen.QuerySample) time.Duration { return time.Microsecond }
	sut.Tokens = tenTokens
	if s.Mode == loadgen.FindPeakPerformance {
		s.ServerTargetQPS = 100
	}
	_, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), sut.Clock), sut,
		loadgentest.QSL{Total: 50, Performance: 30}, s, loadgen.LogSettings{OutDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "mlperf_log_detail.txt")
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), ":::MLLOG") {
		t.Fatalf("the log begins with %.20q (%v)", text, err)
	}
	found := map[string]any{}
	for _, e := range readDetail(t, path) {
		if _, ok := found[e.Key]; !ok {
			found[e.Key] = e.Value
		}
	}
	for _, rule := range checkerKeys {
		value, ok := found[rule.key]
		switch want := rule.in(s); {
		case ok != want:
			t.Errorf("%s in the log: %v, want %v", rule.key, ok, want)
		case ok && !isKind(value, rule.kind):
			t.Errorf("%s = %v (%T), want %s", rule.key, value, value, rule.kind)
		}
	}
}

func isKind(value any, kind string) bool {
	switch v := value.(type) {
	case bool:
		return kind == "bool"
	case string:
		return kind == "text"
	case json.Number:
		whole := !strings.ContainsAny(v.String(), ".e-")
		return kind == "double" || kind == "int" && whole
	}
	return false
}
