package official_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// goldenCase contains the parts of a recorded test's case.json that its result depends on.
type goldenCase struct {
	Settings struct {
		Scenario, Mode string
		Tokens         bool `json:"use_token_latencies"`
	}
}

// TestGoldenResults reads the Result of every recorded test from its detail log, and compares it with its summary.
func TestGoldenResults(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(golden.Root(t), "loadgen", "logs", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no logs (%v)", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { checkRecorded(t, dir) })
	}
}

// TestOwnRecordedResult does the same with a log in this repository.
func TestOwnRecordedResult(t *testing.T) {
	r := recorded(t, filepath.Join("..", "mllog", "testdata", "Server_token_ttft_tpot_fail"), loadgen.Server, true)
	if r.Verdict != loadgen.Invalid || r.PerformanceConstraintsMet || r.Tokens == nil || len(r.Reasons) < 2 ||
		r.Reasons[0].Rule != "ttft" || r.Reasons[1].Rule != "tpot" {
		t.Errorf("%v, reasons %+v", r.Verdict, r.Reasons)
	}
}

// recorded reads the result of a test from the detail log in dir.
func recorded(t *testing.T, dir string, scenario loadgen.Scenario, tokens bool) *loadgen.Result {
	t.Helper()
	r := &loadgen.Result{}
	r.Requested.UseTokenLatencies = tokens
	r.Effective = loadgen.EffectiveSettings{
		Scenario: scenario, Mode: loadgen.PerformanceOnly, TargetLatencyPercentile: .99,
	}
	if scenario == loadgen.SingleStream {
		r.Effective.TargetLatencyPercentile = .9
	}
	file, err := os.Open(detailOf(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d, err := mllog.ScanDetail(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := official.Read(d, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// detailOf returns the path of the detail log in dir, with any prefix and suffix.
func detailOf(t *testing.T, dir string) string { return logOf(t, dir, "detail") }

func logOf(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*"+name+"*.txt"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: no %s log (%v)", dir, name, err)
	}
	return found[0]
}

func checkRecorded(t *testing.T, dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "case.json"))
	if err != nil {
		t.Skipf("a test that did not end: %v", err)
	}
	var c goldenCase
	if err := json.Unmarshal(text, &c); err != nil {
		t.Skipf("case.json holds what JSON does not: %v", err)
	}
	scenario, err := loadgen.ParseScenario(c.Settings.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(logOf(t, dir, "summary"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := mllog.ReadSummary(file)
	if err != nil || s.Result == "" {
		t.Skipf("no result in the summary (%v)", err)
	}
	compare(t, recorded(t, dir, scenario, c.Settings.Tokens), s)
}

// compare requires the results of a summary in r.
func compare(t *testing.T, r *loadgen.Result, s *mllog.Summary) {
	t.Helper()
	if string(r.Verdict) != s.Result {
		t.Errorf("verdict %s, the summary has %s", r.Verdict, s.Result)
	}
	conditions := map[string]bool{
		"Performance constraints satisfied": r.PerformanceConstraintsMet, "Min duration satisfied": r.MinDurationMet,
		"Min queries satisfied": r.MinQueriesMet, "Early stopping satisfied": r.EarlyStoppingMet,
	}
	for _, c := range s.Conditions {
		if met, known := conditions[c.Label]; known && met != (c.Value == "Yes") {
			t.Errorf("%s: %v, the summary has %s", c.Label, met, c.Value)
		}
	}
	if unmet := r.Verdict == loadgen.Invalid; unmet != (len(r.Reasons) > 0) {
		t.Errorf("%s with %d reasons", r.Verdict, len(r.Reasons))
	}
	values := map[string]time.Duration{
		"Min latency (ns)": r.Latency.Min, "Max latency (ns)": r.Latency.Max, "Mean latency (ns)": r.Latency.Mean,
	}
	if r.Effective.Scenario == loadgen.MultiStream {
		values = map[string]time.Duration{
			"Min latency (ns)": r.QueryLatency.Min, "Max latency (ns)": r.QueryLatency.Max,
			"Mean latency (ns)": r.QueryLatency.Mean,
		}
	}
	compareLatencies(t, r, s.Stats, values)
}

func compareLatencies(t *testing.T, r *loadgen.Result, stats [][]mllog.Field, values map[string]time.Duration) {
	t.Helper()
	for _, p := range r.QueryLatency.Percentiles {
		values[strconv.FormatFloat(100*p.P, 'f', 2, 64)+" percentile latency (ns)"] = p.Latency
	}
	if tokens := r.Tokens; tokens != nil {
		for _, p := range tokens.TTFT.Latency.Percentiles {
			name := strconv.FormatFloat(100*p.P, 'f', 2, 64) + " percentile first token latency (ns)"
			values[name] = p.Latency
		}
	}
	compared := 0
	for _, block := range stats {
		for _, f := range block {
			want, known := values[strings.TrimSpace(f.Label)]
			if !known {
				continue
			}
			compared++
			if f.Value != strconv.FormatInt(want.Nanoseconds(), 10) {
				t.Errorf("%s: %d, the summary has %s", f.Label, want, f.Value)
			}
		}
	}
	if compared < 9 {
		t.Errorf("%d latencies compared, want 9 or more: %v", compared, stats)
	}
}
