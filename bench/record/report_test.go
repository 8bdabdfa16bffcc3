package record

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
)

// record returns a run of the embedded model before any measurement.
func record(scenario, mode string) Run {
	r := Run{
		Model: "resnet50", Scenario: scenario, Mode: mode, Profile: "smoke",
		Deviations: []string{"min_duration = 2000 ms, rules 600000 ms"},
		Rules:      "v6.1", Pace: "default", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Dir:     "resnet50/" + scenario + "/performance/run_1",
		Command: []string{"harness", "run", "resnet50"},
		Plugin: Plugin{
			Name: "resnet50", Version: "0.1.0", Path: "/opt/plumbline-plugin-resnet50", SHA256: strings.Repeat("ab", 32),
		},
		System: system.Info{CPU: "Example CPU", Cores: 8, MemoryBytes: 32e9, OS: "Example OS", Kernel: "Linux 6.1",
			Arch: "amd64", GoVersion: "go1.26"},
		Harness: Harness{Version: "v0.1.0"},
	}
	r.FromOptions(sdk.Options{Model: "resnet50"})
	r.FromWorkload(sdk.WorkloadInfo{
		Model: "resnet50", ModelFile: "embedded-fp32", Embedded: true, Precision: "fp32",
		ModelSHA256: strings.Repeat("01", 32), ModelSize: 1_300_000,
		Dataset: "synthetic", DatasetSize: 1000, PerformanceSampleCount: 1000, Backend: "ort",
		BackendInfo: map[string]string{"version": "ONNX Runtime 1.28.2"},
		Batch:       8, Sessions: 2,
	}, "SUT", "QSL")
	return r
}

// result returns LoadGen's result for a scenario.
func result(s loadgen.Scenario) *loadgen.Result {
	r := &loadgen.Result{
		Verdict: loadgen.Valid, PerformanceConstraintsMet: true, MinDurationMet: true, MinQueriesMet: true,
		EarlyStoppingMet: true,
		Effective: loadgen.EffectiveSettings{
			Scenario: s, Mode: loadgen.PerformanceOnly, QSLRNGSeed: 2085463073848966840,
		},
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: 2345 * time.Millisecond,
		QueryCount: 1234, SampleCount: 1234,
		MetricName: "x", MetricUnit: "samples/s", Metric: 526.23456,
		TargetPercentile: loadgen.Percentile{P: 0.99, Latency: 3 * time.Millisecond},
		Latency: loadgen.LatencySummary{
			N: 1234, Min: 1e6, Max: 9e6, Mean: 2e6, Percentiles: []loadgen.Percentile{{P: 0.5, Latency: 2e6}},
		},
	}
	switch s {
	case loadgen.SingleStream:
		r.MetricUnit, r.Metric, r.TargetPercentile.P = "ns", 3151623, 0.90
		r.EarlyStopping = loadgen.EarlyStopping{Met: true, Percentile: 0.90, Estimate: 3151623, QueriesProcessed: 1234}
		r.EarlyStopping99 = &loadgen.EarlyStopping{Met: true, Text: "x"}
	case loadgen.MultiStream:
		r.MetricUnit, r.Metric, r.SampleCount = "ns", 24012345, 8*1234
		r.EarlyStopping = loadgen.EarlyStopping{Met: true, Percentile: 0.99, Estimate: 24012345, QueriesProcessed: 1234}
		r.QueryLatency = r.Latency
	case loadgen.Server:
		r.MetricName, r.Effective.TargetLatency = "completed samples per second", 15*time.Millisecond
	case loadgen.Offline:
		r.MetricName, r.QueryCount, r.SampleCount = "samples per second", 1, 24576
	}
	r.Effective.TargetLatencyPercentile = r.TargetPercentile.P
	return r
}

func performed(s loadgen.Scenario, change func(*Run, *loadgen.Result)) Run {
	run, res := record(s.String(), "performance"), result(s)
	if change != nil {
		change(&run, res)
	}
	run.FromResult(res)
	run.Finish(nil)
	return run
}

func scored(v judge.Verdict, notes ...string) Run {
	run := record("Offline", "accuracy")
	run.Dir = "resnet50/Offline/accuracy"
	run.FromResult(result(loadgen.Offline))
	run.Accuracy = NewAccuracy(v, sdk.Score{
		Samples: 1000, OfficialText: "accuracy=94.500%, good=945, total=1000", Notes: notes,
	}, strings.Repeat("cd", 32))
	run.Finish(nil)
	return run
}

func verdict(o judge.Outcome, text string) judge.Verdict {
	return judge.Verdict{Outcome: o, Basis: "no target applies to a subset: 300 of the 50,000 samples of imagenet",
		Metrics: []judge.Metric{{Name: "accuracy", Unit: "%", Value: 94.5, Rounded: "94.500", Outcome: o, Text: text}}}
}

// runs returns one run of each kind.
func runs() map[string]Run {
	failed := record("Server", "performance")
	failed.Finish(&host.PluginError{
		Kind: host.KindDied, Plugin: "resnet50", Found: "it was killed by SIGKILL", Stderr: []string{"out of memory"},
	})
	interrupted := performed(loadgen.Server, nil)
	interrupted.Finish(loadgen.ErrInterrupted)
	skipped := record("Offline", "performance")
	skipped.Skip(exitcode.Plugin)
	return map[string]Run{
		"single-stream": performed(loadgen.SingleStream, nil),
		"multi-stream":  performed(loadgen.MultiStream, nil),
		"server":        performed(loadgen.Server, nil),
		"offline":       performed(loadgen.Offline, nil),
		"devices": performed(loadgen.Offline, func(r *Run, _ *loadgen.Result) {
			r.Workload.AtEnd(sdk.WorkloadInfo{
				Shares: []backend.WorkShare{{Name: "cpu:0-7", Batches: 100, Samples: 200},
					{Name: "cpu:8-15", Batches: 101, Samples: 202}},
				Batching: sdk.BatchingReport{Sizes: []sdk.BatchSize{{Samples: 2, Batches: 201}},
					Model: sdk.SampleTimes{Count: 402, Min: 1, Max: 4, Mean: 2, Percentiles: []sdk.TimeAt{{P: .5, At: 2}}}},
			})
		}),
		"official": performed(loadgen.Offline, func(r *Run, _ *loadgen.Result) { r.Profile, r.Deviations = "official", nil }),
		"custom":   performed(loadgen.Offline, func(r *Run, _ *loadgen.Result) { r.Profile = "custom" }),
		"invalid": performed(loadgen.Server, func(r *Run, res *loadgen.Result) {
			res.Verdict, res.PerformanceConstraintsMet = loadgen.Invalid, false
			res.Reasons = []loadgen.Reason{{
				Rule: "latency", Measured: "99th percentile 18.3 ms", Needed: "at most 15 ms", Hint: "Lower target_qps.",
			},
				{Rule: "early_stopping", Measured: "100 queries", Needed: "662 queries", Hint: "Run longer."}}
			res.Errors = []loadgen.LoggedError{{Key: "error_runtime", Message: "said by the reasons"}}
			res.Warnings = []loadgen.LoggedError{{Key: "warning_generic_message", Message: "something to know", Warning: true}}
		}),
		"tokens": performed(loadgen.Server, func(_ *Run, res *loadgen.Result) {
			res.MetricName, res.MetricUnit = "completed tokens per second", "tokens/s"
			res.Tokens = &loadgen.TokenResult{Count: 49360, PerSec: 21049.04, WithOverhead: 20999, WithoutOverhead: 30000,
				TTFT: loadgen.TokenLatency{
					Target: loadgen.Percentile{P: 0.99, Latency: 412_345_678}, Limit: 450 * time.Millisecond, Latency: res.Latency,
				},
				TPOT: loadgen.TokenLatency{Target: loadgen.Percentile{P: 0.99, Latency: 38_500_000}, Limit: 40 * time.Millisecond,
					Latency:       res.Latency,
					EarlyStopping: loadgen.EarlyStopping{Met: true, QueriesProcessed: 1234}}}
			res.Notes = []loadgen.Note{{About: "issue_delay", Text: "1 % of the queries were issued late."}}
		}),
		"tokens-offline": performed(loadgen.Offline, func(_ *Run, res *loadgen.Result) {
			res.MetricName, res.MetricUnit = "tokens per second", "tokens/s"
			res.Tokens = &loadgen.TokenResult{Count: 983040, PerSec: 526.23456}
		}),
		"findpeak":         performed(loadgen.Server, searched(true)),
		"findpeak-nothing": performed(loadgen.Server, searched(false)),
		"streams": performed(loadgen.MultiStream, func(r *Run, res *loadgen.Result) {
			r.Profile, r.Rules, r.Deviations = "audit", "v0.7", nil
			res.Effective.NoEarlyStopping = true
			res.MetricName, res.MetricUnit, res.Metric = "samples per query", "samples", 8
			res.Intervals = &loadgen.Intervals{
				Interval: 50 * time.Millisecond, Skipped: 3, Overtime: 2, Counted: 1234, Allowed: 12,
			}
		}),
		"findstreams":         foundStreams(24),
		"findstreams-bounded": foundStreams(1024),
		"accuracy-pass":       scored(verdict(judge.Pass, "99.4 % of FP32: passes the 99 % target")),
		"accuracy-below": scored(verdict(judge.Below, "98.1 % of FP32: below the 99 % target of 94.050 %"),
			"3 duplicates are left out"),
		"accuracy-subset": scored(verdict(judge.Informational, "")),
		"failed":          failed, "interrupted": interrupted, "skipped": skipped,
	}
}

// searched turns a result into that of a search for the highest rate.
func searched(found bool) func(*Run, *loadgen.Result) {
	return func(r *Run, res *loadgen.Result) {
		r.Mode = "findpeak"
		res.Effective.Mode, res.Effective.TargetQPS = loadgen.FindPeakPerformance, 412.6875
		res.Trials = []loadgen.Trial{{TargetQPS: 412.6875, Met: found, Latency: res.TargetPercentile}}
		if found {
			res.Trials = append(res.Trials, loadgen.Trial{
				TargetQPS: 412.8, Latency: loadgen.Percentile{P: 0.99, Latency: time.Second},
			})
			return
		}
		res.Verdict = loadgen.Invalid
		res.Reasons = []loadgen.Reason{
			{Rule: "latency", Measured: "99th percentile 18.3 ms", Needed: "at most 15 ms", Hint: "Lower target_qps."},
		}
	}
}

// foundStreams returns a search whose last run passed with n samples per query, after one that failed with a few more.
func foundStreams(n uint64) Run {
	run, res := record("MultiStream", "findpeak"), result(loadgen.MultiStream)
	run.Dir = "resnet50/MultiStream/performance/findpeak"
	res.Effective.NoEarlyStopping, res.Effective.SamplesPerQuery = true, n
	res.MetricName, res.MetricUnit, res.Metric = "samples per query", "samples", float64(n)
	res.Intervals = &loadgen.Intervals{Interval: 50 * time.Millisecond, Counted: 1234, Allowed: 12}
	s := &loadgen.Streams{Found: n, Result: res}
	if n < 1024 {
		s.Trials = append(s.Trials, loadgen.StreamTrial{
			Streams: n + 1, Intervals: *res.Intervals, LogFiles: []string{"/out/run_01_streams_25/mlperf_log_summary.txt"},
		})
	}
	s.Trials = append(s.Trials, loadgen.StreamTrial{
		Streams: n, Confirms: true, Met: true, Intervals: *res.Intervals, Latency: res.TargetPercentile,
	})
	run.FromStreams(s)
	run.Finish(nil)
	return run
}

func TestRowTexts(t *testing.T) {
	for name, run := range runs() {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := WriteRow(&b, run); err != nil {
				t.Fatal(err)
			}
			testfile.Compare(t, name, b.String())
		})
	}
}

func TestHeaderAndFooterTexts(t *testing.T) {
	own := record("Server", "performance")
	own.Profile = "official"
	own.Workload.Embedded, own.Workload.ModelFile, own.Workload.DatasetSHA256 = false, "/models/resnet50_v1.onnx",
		strings.Repeat("ef", 32)
	audited := record("Server", "performance")
	audited.Profile, audited.Audit = "audit", "TEST01/audit.config"
	unopened := record("Server", "performance")
	unopened.Workload = nil
	for name, run := range map[string]Run{
		"header": record("Server", "performance"), "header-own": own, "header-audit": audited, "header-unopened": unopened,
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := errors.Join(WriteHeader(&b, run, "out"), WriteFooter(&b, "out", NewDocument([]Run{run}))); err != nil {
				t.Fatal(err)
			}
			testfile.Compare(t, name, b.String())
		})
	}
}

func TestDocumentText(t *testing.T) {
	all := runs()
	text, err := NewDocument([]Run{all["invalid"], all["accuracy-below"], all["failed"]}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	testfile.Compare(t, "document", string(text))
}

func TestPerformanceText(t *testing.T) {
	all := runs()
	for _, name := range []string{"tokens", "findpeak", "streams", "findstreams"} {
		text, err := json.MarshalIndent(all[name].Performance, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		testfile.Compare(t, "performance-"+name, string(text)+"\n")
	}
}

func TestExitCodes(t *testing.T) {
	want := map[string]int{
		"invalid": 3, "accuracy-below": 4, "failed": 5, "interrupted": 130, "skipped": 5, "findpeak-nothing": 3,
	}
	for name, run := range runs() {
		if run.ExitCode != want[name] {
			t.Errorf("%s: exit code %d, want %d", name, run.ExitCode, want[name])
		}
	}
}

func TestDocumentRoundTrip(t *testing.T) {
	var all []Run
	for _, run := range runs() {
		all = append(all, run)
	}
	d := NewDocument(all)
	text, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.JSON()
	if err != nil || string(second) != string(text) {
		t.Errorf("reading and writing changes the text (%v)", err)
	}
}

func TestNoListIsNull(t *testing.T) {
	for name, run := range runs() {
		text, err := json.Marshal(run)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), ":null") {
			t.Errorf("%s holds a null: %s", name, text)
		}
	}
}

func TestNumbersThatJSONLacks(t *testing.T) {
	run := scored(judge.Judge(judge.Case{Score: sdk.Score{Metrics: []sdk.Metric{{Name: "AUC", Value: math.NaN()}}}}))
	text, err := NewDocument([]Run{run}).JSON()
	if err != nil || !strings.Contains(string(text), `"value": null`) ||
		!strings.Contains(string(text), `"rounded": "NaN"`) {
		t.Errorf("%v in:\n%s", err, text)
	}
	d, err := Parse(text)
	if err != nil || !math.IsNaN(float64(d.Runs[0].Accuracy.Metrics[0].Value)) {
		t.Errorf("%v: %+v", err, d)
	}
}

func TestSave(t *testing.T) {
	out := t.TempDir()
	all := runs()
	// The last run replaces the previous one.
	for _, together := range [][]Run{{all["offline"], all["accuracy-pass"], all["server"]}, nil, {all["invalid"]}} {
		if err := Save(out, together...); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		FileName:                       {"Offline performance", "Offline accuracy", "Server performance"},
		"resnet50/Offline/" + FileName: {"Offline performance", "Offline accuracy"},
		"resnet50/Server/" + FileName:  {"Server performance"},
	} {
		d, err := Read(filepath.Join(out, path))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range d.Runs {
			got = append(got, r.Scenario+" "+r.Mode)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s holds %q, want %q", path, got, want)
		}
	}
	d, err := Read(filepath.Join(out, FileName))
	if err != nil || d.ExitCode != 3 {
		t.Errorf("exit code %d, %v; want the worst, 3", d.ExitCode, err)
	}
}

func TestSaveBesideAForeignFile(t *testing.T) {
	out := t.TempDir()
	path := filepath.Join(out, FileName)
	if err := os.WriteFile(path, []byte(`{"schema":"other"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Save(out, runs()["server"]); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 1 {
		t.Errorf("%v, %v: want the foreign file alone", left, err)
	}
}

func FuzzParse(f *testing.F) {
	text, err := NewDocument([]Run{runs()["server"]}).JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"plumbline.result","schema_version":1}`))
	f.Add([]byte(`{"schema":"plumbline.result","schema_version":2}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		if d.SchemaVersion != SchemaVersion {
			t.Errorf("version %d is accepted", d.SchemaVersion)
		}
		if _, err := d.Merge(runs()["server"]).JSON(); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
