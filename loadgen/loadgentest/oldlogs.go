package loadgentest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// OldRun writes the logs of a performance run in the form of an earlier round's LoadGen. The logs contain only the
// entries that this project reads. Latencies are distributed evenly.
type OldRun struct {
	// Text selects the text form of the detail log, used in v0.5 and v0.7. Otherwise the log has JSON like in v1.0.
	Text bool
	// Version is the LoadGen version in the log. Empty means that of v0.5 to v1.0.
	Version  string
	Scenario loadgen.Scenario
	Invalid  bool
	// Rate is Server's scheduled rate, of which 99 % is completed, or Offline's rate. 0 means 1000.
	Rate float64
	// Streams is the number of samples per query of MultiStream, at 20 queries per second. 0 means 1.
	Streams uint64
	// Loaded is the set of loaded samples. nil means 3, 1, 2.
	Loaded []uint64
	// Total and Performance are the counts of samples. 0 means the length of Loaded.
	Total, Performance uint64
	Seed               uint64 // seed of the data set's order
}

// Write creates the folder dir and writes the detail log and the summary into it.
func (r OldRun) Write(dir string) error {
	r.setDefaults()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	detail := r.detailJSON()
	if r.Text {
		detail = r.detailText()
	}
	var summary strings.Builder
	if err := mllog.WriteSummary(&summary, r.summary()); err != nil {
		return err
	}
	for name, text := range map[string]string{mllog.DetailFile: detail, mllog.SummaryFile: summary.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (r *OldRun) setDefaults() {
	if r.Version == "" {
		r.Version = ".5a1 @ 0123456789"
	}
	if r.Rate == 0 {
		r.Rate = 1000
	}
	if r.Streams == 0 || r.Scenario != loadgen.MultiStream {
		r.Streams = 1
	}
	if r.Loaded == nil {
		r.Loaded = []uint64{3, 1, 2}
	}
	if r.Total == 0 {
		r.Total = uint64(len(r.Loaded))
	}
	if r.Performance == 0 {
		r.Performance = uint64(len(r.Loaded))
	}
}

// oldPercentiles lists the percentiles in the logs, with their latencies in nanoseconds.
var oldPercentiles = [...]struct {
	rank string
	ns   int
}{{"50.00", 5e6}, {"90.00", 9e6}, {"95.00", 95e5}, {"97.00", 97e5}, {"99.00", 99e5}, {"99.90", 999e4}}

const oldMin, oldMax, oldMean = 1e6, 1e7, 5500000

// percentile returns the percentile that the scenario's rules use.
func (r *OldRun) percentile() string {
	if r.Scenario == loadgen.SingleStream {
		return "0.9"
	}
	return "0.99"
}

func (r *OldRun) verdict() (word string, met string) {
	if r.Invalid {
		return "INVALID", "NO"
	}
	return "VALID", "Yes"
}

// scenarioLabel returns the scenario's name in a text log.
func (r *OldRun) scenarioLabel() string {
	switch r.Scenario {
	case loadgen.SingleStream:
		return "Single Stream"
	case loadgen.MultiStream:
		return "Multi Stream"
	}
	return r.Scenario.String()
}

// targetQPS returns the effective rate.
func (r *OldRun) targetQPS() float64 {
	if r.Scenario == loadgen.MultiStream {
		return 20
	}
	return r.Rate
}

func (r *OldRun) detailText() string {
	var b strings.Builder
	at := 7000
	say := func(format string, args ...any) {
		at += 100
		fmt.Fprintf(&b, `"pid": 12, "tid": 12, "ts": %dns : `+format+"\n", append([]any{at}, args...)...)
	}
	fmt.Fprintln(&b, `"pid": 12, "tid": 13, "ts": -90ns : Registered IssueQueryThread[0]. thread ID : 77`)
	say("LoadgenVersionInfo:")
	say("version : %s", r.Version)
	say("git_log :")
	fmt.Fprint(&b, "\n0123456789 check for ERROR in logs: a commit\n\n")
	say("git_status :")
	fmt.Fprint(&b, "\n\n")
	say("SHA1 of files :")
	fmt.Fprint(&b, "\n0a1b /loadgen.cc\n2c3d /logging.cc\n\n")
	say("Date + time of test: 2019-10-01T10:00:00Z")
	say("System Under Test (SUT) name: PySUT")
	say("Query Sample Library (QSL) name: PyQSL")
	say("QSL total size: %d", r.Total)
	say("QSL performance size*: %d", r.Performance)
	say("Requested Settings:")
	say("Scenario : %s", r.scenarioLabel())
	say("Test mode : Performance")
	if r.Scenario == loadgen.MultiStream {
		say("multi_stream_target_qps : 20")
	}
	say("min_duration_ms : 60000")
	say("")
	say("Effective Settings:")
	say("Scenario : %s", r.scenarioLabel())
	say("Test mode : Performance")
	say("samples_per_query : %d", r.Streams)
	say("target_qps : %g", r.targetQPS())
	say("target_latency (ns): 50000000")
	say("target_latency_percentile : %s", r.percentile())
	say("min_duration (ms): 60000")
	say("min_query_count : 1024")
	say("qsl_rng_seed : %d", r.Seed)
	say("print_timestamps : false")
	say("performance_issue_unique : false")
	say("performance_sample_count : %d", r.Performance)
	say("Starting performance mode:")
	say(`Loading QSL : "set" : "%s"`, strings.ReplaceAll(fmt.Sprint(r.Loaded), " ", ","))
	say(`GeneratedQueries: "queries" : %d, "samples per query" : %d, "duration" : 60000000000`, r.queryCount(),
		r.samplesPerQuery())
	say("WARNING : Logging allocation detected: \"tid\" : 12, \"reserved_entries\" : 1024, \"max_entries\" : 2048")
	if r.Invalid {
		say("ERROR : Ending early: Ran out of generated queries to issue before the minimum query count.")
	}
	say("Log Contention Counters:")
	say("0 : swap_request_slots_retry_count")
	say(`POWER_BEGIN: "mode" : Performance, "time" : 10-01-2019 10:00:00.000`)
	say(`POWER_END: "mode" : Performance, "time" : 10-01-2019 10:01:00.000`)
	return b.String()
}

func (r *OldRun) queryCount() int {
	if r.Scenario == loadgen.Offline {
		return 1
	}
	return 2048
}

func (r *OldRun) samplesPerQuery() uint64 {
	if r.Scenario == loadgen.Offline {
		return 66000
	}
	return r.Streams
}

func (r *OldRun) detailJSON() string {
	word, met := r.verdict()
	var line []byte
	say := func(key string, value any) {
		line = mllog.AppendDetail(line, mllog.DetailEntry{Key: key, Value: value, Time: time.Second, File: "loadgen.cc"})
	}
	say("loadgen_version", r.Version)
	say("sut_name", "PySUT")
	say("qsl_name", "PyQSL")
	say("qsl_reported_total_count", r.Total)
	say("qsl_reported_performance_count", r.Performance)
	say("requested_scenario", r.Scenario.String())
	say("requested_test_mode", "PerformanceOnly")
	if r.Scenario == loadgen.MultiStream {
		say("requested_multi_stream_target_qps", 20)
	}
	say("effective_scenario", r.Scenario.String())
	say("effective_test_mode", "PerformanceOnly")
	say("effective_samples_per_query", r.Streams)
	say("effective_target_qps", r.targetQPS())
	say("effective_target_latency_ns", 50000000)
	line = append(line, strings.Replace(string(mllog.AppendDetail(nil, mllog.DetailEntry{
		Key: "effective_target_latency_percentile", Value: "P"})), `"P"`, r.percentile(), 1)...)
	say("effective_min_duration_ms", 60000)
	say("effective_min_query_count", 1024)
	say("effective_qsl_rng_seed", r.Seed)
	say("effective_performance_sample_count", r.Performance)
	say(loadedSet, r.Loaded)
	say("generated_query_count", r.queryCount())
	say("generated_samples_per_query", r.samplesPerQuery())
	say("power_begin", "03-01-2021 10:00:00.000")
	say("power_end", "03-01-2021 10:01:00.000")
	say("result_validity", word)
	if r.Scenario == loadgen.Server || r.Scenario == loadgen.MultiStream {
		say("result_perf_constraints_met", true)
	}
	say("result_min_duration_met", true)
	say("result_min_queries_met", met == "Yes")
	r.logResults(say)
	return string(line)
}

const loadedSet = "loaded_qsl_set"

// logResults logs the results in the JSON form.
func (r *OldRun) logResults(say func(key string, value any)) {
	switch r.Scenario {
	case loadgen.Server:
		say("result_scheduled_samples_per_sec", r.Rate)
		say("result_completed_samples_per_sec", .99*r.Rate)
	case loadgen.Offline:
		say("result_samples_per_second", r.Rate)
	case loadgen.MultiStream:
		for _, p := range oldPercentiles {
			say("result_"+p.rank+"_percentile_num_intervals_between_queries", 1)
			say("result_"+p.rank+"_percentile_per_query_latency_ns", 2*p.ns)
		}
	}
	say("result_min_latency_ns", int(oldMin))
	say("result_max_latency_ns", int(oldMax))
	say("result_mean_latency_ns", oldMean)
	for _, p := range oldPercentiles {
		say("result_"+p.rank+"_percentile_latency_ns", p.ns)
	}
}

func (r *OldRun) summary() *mllog.Summary {
	word, met := r.verdict()
	s := &mllog.Summary{SUTName: "PySUT", Scenario: r.Scenario.String(), Mode: "PerformanceOnly", Result: word,
		Conditions: []mllog.Field{{Label: "Min duration satisfied", Value: "Yes"},
			{Label: "Min queries satisfied", Value: met}}}
	if r.Text {
		s.Scenario, s.Mode = r.scenarioLabel(), "Performance"
	}
	if r.Invalid {
		s.Recommendations = []string{"The test exited early, before enough queries were issued."}
	}
	var first, latencies []mllog.Field
	switch r.Scenario {
	case loadgen.SingleStream:
		s.Headline = []mllog.Field{{Label: "90th percentile latency (ns)", Value: "9000000"}}
		first = []mllog.Field{{Label: "QPS w/ loadgen overhead", Value: "181.00"},
			{Label: "QPS w/o loadgen overhead", Value: "182.00"}}
	case loadgen.MultiStream:
		s.Headline = []mllog.Field{{Label: "Samples per query", Value: fmt.Sprint(r.Streams)}}
		intervals := []mllog.Field{{Label: "Intervals between each IssueQuery", Value: `"qps" : 20, "ms" : 50`}}
		queries := []mllog.Field{{Label: "Per-query latency", Value: `"target_ns" : 50000000, "target_ms" : 50`}}
		for _, p := range oldPercentiles {
			intervals = append(intervals, mllog.Field{Label: p.rank + " percentile", Value: "1"})
			queries = append(queries, mllog.Field{Label: p.rank + " percentile latency (ns)", Value: fmt.Sprint(2 * p.ns)})
		}
		s.Stats = append(s.Stats, intervals, queries)
		latencies = []mllog.Field{{Label: "Per-sample latency"}}
	case loadgen.Server:
		s.Headline = []mllog.Field{{Label: "Scheduled samples per second", Value: fmt.Sprintf("%.2f", r.Rate)}}
		first = []mllog.Field{{Label: "Completed samples per second", Value: fmt.Sprintf("%.2f", .99*r.Rate)}}
	case loadgen.Offline:
		s.Headline = []mllog.Field{{Label: "Samples per second", Value: fmt.Sprint(r.Rate)}}
	}
	if first != nil {
		s.Stats = append(s.Stats, first)
	}
	latencies = append(latencies, mllog.Field{Label: "Min latency (ns)", Value: fmt.Sprint(int(oldMin))},
		mllog.Field{Label: "Max latency (ns)", Value: fmt.Sprint(int(oldMax))},
		mllog.Field{Label: "Mean latency (ns)", Value: fmt.Sprint(oldMean)})
	for _, p := range oldPercentiles {
		latencies = append(latencies, mllog.Field{Label: p.rank + " percentile latency (ns)", Value: fmt.Sprint(p.ns)})
	}
	s.Stats = append(s.Stats, latencies)
	s.Parameters = []mllog.Field{{Label: "samples_per_query", Value: fmt.Sprint(r.Streams)}}
	return s
}
