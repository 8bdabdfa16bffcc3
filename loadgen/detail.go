package loadgen

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// compatibleWith is the LoadGen version whose behaviour and log formats this package reproduces.
const compatibleWith = "6.0.17"

// logStart logs the version entries, the SUT (whose Name took nameDuration) and the QSL.
func (g *runLog) logStart(sutName string, nameDuration time.Duration, qslName string, total, perf int) {
	g.logVersion()
	g.logValue("test_datetime", g.beginDate())
	g.logValue("sut_name", sutName)
	g.logValue("get_sut_name_duration_ns", nameDuration.Nanoseconds())
	g.logValue("qsl_name", qslName)
	g.logValue("qsl_reported_total_count", total)
	g.logValue("qsl_reported_performance_count", perf)
}

const modulePath = "github.com/plumbline-ml/plumbline/loadgen"

// logVersion logs the build information of the program. The checksum entry contains the program's modules, because the
// build has no list of source files.
func (g *runLog) logVersion() {
	version, settings, modules := "(devel)", map[string]string{}, map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(slices.Clone(info.Deps), &info.Main) {
			modules[m.Path] = m.Version + m.Sum
			if m.Path == modulePath && m.Version != "" {
				version = m.Version
			}
		}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	g.logValue("loadgen_version", fmt.Sprintf("plumbline %s (compatible with %s)", version, compatibleWith))
	g.logValue("loadgen_build_date_local", "")
	g.logValue("loadgen_build_date_utc", "")
	g.logValue("loadgen_git_commit_date", settings["vcs.time"])
	g.logValue("loadgen_git_log_message", settings["vcs.revision"])
	g.logValue("loadgen_git_status_message", modifiedText(settings["vcs.modified"]))
	modules["go"] = runtime.Version()
	g.logValue("loadgen_file_sha1", modules)
}

func modifiedText(vcs string) string {
	if vcs == "true" {
		return "modified"
	}
	return ""
}

// logRequested logs the settings as passed to StartTest. Settings of old rounds come last.
func (g *runLog) logRequested(s TestSettings) {
	g.logValue("requested_scenario", s.Scenario.String())
	g.logValue("requested_test_mode", s.Mode.String())
	for _, last := range []bool{false, true} {
		for _, f := range fields {
			if (f.logRule == logLastIfUsed) == last && f.isLogged(&s) {
				g.logValue(f.logKeys.requested, f.requestedValue(&s))
			}
		}
	}
}

// logEffective logs the settings that the run uses: first the scenario's, then those of all scenarios.
func (g *runLog) logEffective(e EffectiveSettings, s TestSettings) {
	g.kind = e.Scenario.kindOf()
	g.logValue("effective_scenario", e.Scenario.String())
	g.logValue("effective_test_mode", e.Mode.String())
	g.logValue("effective_samples_per_query", e.SamplesPerQuery)
	g.logValue("effective_target_qps", e.TargetQPS)
	g.logValue("effective_target_latency_ns", e.TargetLatency.Nanoseconds())
	g.logValue("effective_target_latency_percentile", e.TargetLatencyPercentile)
	g.logValue("effective_max_async_queries", e.MaxAsyncQueries)
	g.logValue("effective_target_duration_ms", wholeMillis(e.TargetDuration))
	for _, f := range fields {
		if f.isCommon() {
			g.logValue(f.logKeys.effective, f.usedValue(&e, &s))
		}
		if f.Name == "MaxQueryCount" {
			g.logValue("effective_min_sample_count", e.MinSampleCount)
		}
	}
}

// wholeMillis returns d in whole milliseconds, the unit of configuration files and logs.
func wholeMillis(d time.Duration) uint64 { return uint64(d.Milliseconds()) }

// logMode logs the beginning of the accuracy, performance or FindPeakPerformance part.
func (g *runLog) logMode(m Mode) {
	name := "performance"
	switch m {
	case AccuracyOnly:
		name = "accuracy"
	case FindPeakPerformance:
		name = m.String()
	}
	g.logMessage("Starting " + name + " mode")
}

// logLoadedSet logs a set, including MultiStream's padding, before it is loaded.
func (g *runLog) logLoadedSet(set []SampleIndex) {
	list := make([]uint64, len(set))
	for i, v := range set {
		list[i] = uint64(v)
	}
	g.logValue("loaded_qsl_set", list)
}

// logGenerated logs the size of a series before its first query and flushes the log. The size is then on disk even if
// the run crashes.
func (g *runLog) logGenerated(p *testSeries) {
	g.logValue("generated_query_count", p.GeneratedQueries)
	g.logValue("generated_samples_per_query", p.SamplesPerQuery)
	g.logValue("generated_query_duration", p.GeneratedDuration)
	g.flush()
}

// The counters of the official LoadGen's lock-free logger, which does not exist here.
var loggerCounters = [...]string{
	"swap_request_slots_retry_count", "swap_request_slots_retry_retry_count",
	"swap_request_slots_retry_reencounter_count", "start_reading_entries_retry_count",
	"tls_total_log_cas_fail_count", "tls_total_swap_buffers_slot_retry_count",
}

// logSeriesEnd logs the end of a series. power_begin and power_end are the times of its start and its last completion.
func (g *runLog) logSeriesEnd(p *testSeries) {
	for _, c := range loggerCounters {
		g.logValue("logger_"+c, 0)
	}
	const layout = "01-02-2006 15:04:05.000"
	begin := p.Start.UTC()
	if p.Start.IsZero() { // the series ended before its start
		begin = time.Now().UTC()
	}
	end := begin.Add(time.Duration(p.lastCompletion()))
	g.logValue("power_begin", begin.Format(layout))
	g.logValue("power_end", end.Format(layout))
	g.flush()
}

// joinLines returns text on one line, as the detail log requires.
func joinLines(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// logResults logs the measurements and the verdict.
func (g *runLog) logResults(r *Result) {
	g.logValue("result_validity", string(r.Verdict))
	for _, c := range conditionsInLogs(r) {
		g.logValue(c.key, *c.met(r))
	}
	if r.Verdict != Valid {
		g.logValue("result_invalid_reason", invalidReason(r))
	}
	g.logEarlyStopping(r)
	g.logValue("result_query_count", r.QueryCount)
	r.kindOf().results(g, r)
	g.logLatencies(r.Latency, "", "latency_ns", "percentile_latency_ns")
	r.kindOf().tokenResults(g, r)
	g.logValue("num_errors", g.errorCount())
}

func (g *runLog) logEarlyStopping(r *Result) {
	switch t := r.Tokens; {
	case r.Effective.NoEarlyStopping:
	case t != nil:
		g.logValue("early_stopping_ttft_result", joinLines(t.TTFT.EarlyStopping.Text))
		g.logValue("early_stopping_tpot_result", joinLines(t.TPOT.EarlyStopping.Text))
	default:
		g.logValue("early_stopping_result", joinLines(r.EarlyStopping.Text))
	}
}

// logTokenLatencies logs the token measurements of a token run. Some keys have the official ones' odd units:
// result_token_throughput is in tokens per nanosecond.
func (g *runLog) logTokenLatencies(r *Result) {
	t := r.Tokens
	if t == nil {
		return
	}
	g.logLatencies(t.TTFT.Latency, "first_token_", "latency_ns", "percentile_latency_ns")
	g.logValue("result_token_throughput_with_loadgen_overhead", t.WithOverhead)
	g.logValue("result_token_throughput", t.WithoutOverhead/1e9)
	for _, p := range t.TPOT.Latency.Percentiles {
		g.logValue("result_time_per_output_token_"+twoDecimals(p.P*100)+"_percentile_ns", p.Latency.Nanoseconds())
	}
	g.logValue("result_time_to_output_token_min", t.TPOT.Latency.Min.Nanoseconds())
	g.logValue("result_time_to_output_token_max", t.TPOT.Latency.Max.Nanoseconds())
	g.logValue("result_time_to_output_token_mean", t.TPOT.Latency.Mean.Nanoseconds())
	g.logValue("result_completed_tokens_per_second", t.PerSec)
}

func (g *runLog) logLatencies(l LatencySummary, of, name, percentile string) {
	g.logValue("result_"+of+"min_"+name, l.Min.Nanoseconds())
	g.logValue("result_"+of+"max_"+name, l.Max.Nanoseconds())
	g.logValue("result_"+of+"mean_"+name, l.Mean.Nanoseconds())
	for _, p := range l.Percentiles {
		g.logValue("result_"+of+twoDecimals(p.P*100)+"_"+percentile, p.Latency.Nanoseconds())
	}
}

func (g *runLog) errorCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.errors)
}
