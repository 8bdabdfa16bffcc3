package official_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// TestResultsOfEveryAge checks that the result of an old log, in the text form and in JSON, is the one that its round
// published, and that facts missing from the log are unknown.
func TestResultsOfEveryAge(t *testing.T) {
	for _, text := range []bool{true, false} {
		for scenario, want := range map[loadgen.Scenario]struct {
			name    string
			metric  float64
			queries uint64
		}{
			loadgen.SingleStream: {"90th percentile latency", 9e6, 0},
			loadgen.MultiStream:  {"samples per query", 1344, 0},
			loadgen.Server:       {"scheduled samples per second", 5201.5, 0},
			loadgen.Offline:      {"samples per second", 5201.5, 1},
		} {
			for _, invalid := range []bool{false, true} {
				name := fmt.Sprintf("%v, text form %v, invalid %v", scenario, text, invalid)
				r := ofOldRun(t, loadgentest.OldRun{Text: text, Scenario: scenario, Invalid: invalid, Streams: 1344, Rate: 5201.5})
				if r.MetricName != want.name || r.Metric != want.metric || r.QueryCount != want.queries ||
					r.SampleCount != want.queries*66000 || r.Duration != time.Minute {
					t.Errorf("%s: %s %v, %d queries, %v", name, r.MetricName, r.Metric, r.QueryCount, r.Duration)
				}
				if !r.Effective.NoEarlyStopping || r.EarlyStopping.Estimate != 0 || r.MinQueriesMet == invalid {
					t.Errorf("%s: %+v", name, r.Effective)
				}
				if (r.Verdict == loadgen.Invalid) != invalid || (len(r.Reasons) > 0) != invalid {
					t.Errorf("%s: %v, %v", name, r.Verdict, r.Reasons)
				}
				for _, reason := range r.Reasons {
					if strings.Contains(reason.Measured, "0 queries") && want.queries == 0 {
						t.Errorf("%s: %s", name, reason.Measured)
					}
				}
			}
		}
	}
}

// TestArrivalInterval checks that the number of streams is the result if queries arrived at an interval, for the logs
// of any LoadGen.
func TestArrivalInterval(t *testing.T) {
	r := ofOldRun(t, loadgentest.OldRun{Scenario: loadgen.MultiStream, Streams: 8})
	if r.Effective.ArrivalInterval != 50*time.Millisecond || r.Intervals != nil || r.QueryLatency.Max != 0 ||
		r.TargetPercentile.Latency != 19800*time.Microsecond {
		t.Errorf("%+v, %+v, %+v", r.Effective, r.Intervals, r.QueryLatency)
	}
	dir := t.TempDir()
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MultiStreamArrivalInterval, s.NoEarlyStopping = loadgen.MultiStream, time.Millisecond, true
	s.MultiStreamSamplesPerQuery, s.MinDuration, s.MinQueryCount = 3, 0, 5
	own, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 9, Performance: 9}, s,
		loadgen.LogSettings{OutDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r = readLogs(t, dir, loadgen.MultiStream)
	if r.MetricName != own.MetricName || r.Metric != own.Metric || r.Intervals == nil || *r.Intervals != *own.Intervals ||
		r.QueryCount != own.QueryCount {
		t.Errorf("read %s %v, %+v; measured %s %v, %+v", r.MetricName, r.Metric, r.Intervals, own.MetricName, own.Metric,
			own.Intervals)
	}
}

// TestScheduledRate checks that the LoadGen version determines which rate of Server is the result.
func TestScheduledRate(t *testing.T) {
	for version, scheduled := range map[string]bool{
		".5a1 @ 61220457de": true, "1.1 @ ab": true, "2.1 @ ab": true, "3.1 @ ab": true, "4.0 @ ab": false, "4.1 @ ab": false,
		"5.0.25 @ 5232291860": false, "12.0": false, "": false, "plumbline 1.2 (compatible with 5.0)": false, "x.1": false,
	} {
		r := ofOldRun(t, loadgentest.OldRun{Scenario: loadgen.Server, Rate: 5200, Version: cmp.Or(version, "none")})
		want := "completed samples per second"
		if scheduled {
			want = "scheduled samples per second"
		}
		if r.MetricName != want || r.Metric != map[bool]float64{true: 5200, false: 5148}[scheduled] {
			t.Errorf("%q: %s %v", version, r.MetricName, r.Metric)
		}
	}
}

func ofOldRun(t *testing.T, run loadgentest.OldRun) *loadgen.Result {
	t.Helper()
	dir := t.TempDir()
	if err := run.Write(dir); err != nil {
		t.Fatal(err)
	}
	return readLogs(t, dir, run.Scenario)
}

// readLogs reads the result of the logs in a folder.
func readLogs(t *testing.T, dir string, scenario loadgen.Scenario) *loadgen.Result {
	t.Helper()
	detail, err := os.ReadFile(filepath.Join(dir, mllog.DetailFile))
	if err != nil {
		t.Fatal(err)
	}
	summary, err := os.ReadFile(filepath.Join(dir, mllog.SummaryFile))
	if err != nil {
		t.Fatal(err)
	}
	d, err := mllog.ScanDetail(strings.NewReader(string(detail)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := mllog.ReadSummary(strings.NewReader(string(summary)))
	if err != nil {
		t.Fatal(err)
	}
	d.AddSummary(s)
	r := &loadgen.Result{}
	samples, _ := d.First("effective_samples_per_query")
	r.Effective.SamplesPerQuery, _ = samples.Uint()
	r.Effective.Scenario, r.Effective.Mode, r.Effective.TargetLatencyPercentile = scenario, loadgen.PerformanceOnly, .99
	if scenario == loadgen.SingleStream {
		r.Effective.TargetLatencyPercentile = .9
	}
	if err := official.Read(d, r); err != nil {
		t.Fatal(err)
	}
	return r
}
