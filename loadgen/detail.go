package loadgen

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// compatibleWith is the LoadGen whose behaviour and log formats this package has.
const compatibleWith = "6.0.17"

// start logs what runs: the version entries, the SUT (whose Name took nameDuration) and the QSL.
func (g *runLog) start(sutName string, nameDuration time.Duration, qslName string, total, perf int) {
	g.version()
	g.log("test_datetime", g.datetime())
	g.log("sut_name", sutName)
	g.log("get_sut_name_duration_ns", nameDuration.Nanoseconds())
	g.log("qsl_name", qslName)
	g.log("qsl_reported_total_count", total)
	g.log("qsl_reported_performance_count", perf)
}

const modulePath = "github.com/plumbline-ml/plumbline/loadgen"

// version logs what the build knows of itself. The checksum entry holds the program's modules: the build has no
// list of source files.
func (g *runLog) version() {
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
	g.log("loadgen_version", fmt.Sprintf("plumbline %s (compatible with %s)", version, compatibleWith))
	g.log("loadgen_build_date_local", "")
	g.log("loadgen_build_date_utc", "")
	g.log("loadgen_git_commit_date", settings["vcs.time"])
	g.log("loadgen_git_log_message", settings["vcs.revision"])
	g.log("loadgen_git_status_message", modified(settings["vcs.modified"]))
	modules["go"] = runtime.Version()
	g.log("loadgen_file_sha1", modules)
}

func modified(vcs string) string {
	if vcs == "true" {
		return "modified"
	}
	return ""
}

// requested logs the settings as they were passed to StartTest: those of old rounds last.
func (g *runLog) requested(s TestSettings) {
	g.log("requested_scenario", s.Scenario.String())
	g.log("requested_test_mode", s.Mode.String())
	for _, last := range []bool{false, true} {
		for _, f := range fields {
			if (f.log == lastIfUsed) == last && f.logs(&s) {
				g.log(f.keys.requested, f.requested(&s))
			}
		}
	}
}

// effective logs the settings as the run uses them: what the scenario made of its own, then those of all scenarios.
func (g *runLog) effective(e EffectiveSettings, s TestSettings) {
	g.kind = e.Scenario.kind()
	g.log("effective_scenario", e.Scenario.String())
	g.log("effective_test_mode", e.Mode.String())
	g.log("effective_samples_per_query", e.SamplesPerQuery)
	g.log("effective_target_qps", e.TargetQPS)
	g.log("effective_target_latency_ns", e.TargetLatency.Nanoseconds())
	g.log("effective_target_latency_percentile", e.TargetLatencyPercentile)
	g.log("effective_max_async_queries", e.MaxAsyncQueries)
	g.log("effective_target_duration_ms", milliseconds(e.TargetDuration))
	for _, f := range fields {
		if f.common() {
			g.log(f.keys.effective, f.used(&e, &s))
		}
		if f.Name == "MaxQueryCount" {
			g.log("effective_min_sample_count", e.MinSampleCount)
		}
	}
}

// milliseconds is d in whole milliseconds, as configuration files and logs hold durations.
func milliseconds(d time.Duration) uint64 { return uint64(d.Milliseconds()) }

// mode logs that the accuracy, performance or FindPeakPerformance part begins.
func (g *runLog) mode(m Mode) {
	name := "performance"
	switch m {
	case AccuracyOnly:
		name = "accuracy"
	case FindPeakPerformance:
		name = m.String()
	}
	g.message("Starting " + name + " mode")
}

// loadedSet logs a set that is about to be loaded, with MultiStream's padding.
func (g *runLog) loadedSet(set []SampleIndex) {
	list := make([]uint64, len(set))
	for i, v := range set {
		list[i] = uint64(v)
	}
	g.log("loaded_qsl_set", list)
}

// generated logs the size of a series before it is issued; what a run that dies was about is then on disk.
func (g *runLog) generated(p *series) {
	g.log("generated_query_count", p.GeneratedQueries)
	g.log("generated_samples_per_query", p.SamplesPerQuery)
	g.log("generated_query_duration", p.GeneratedDuration)
	g.flush()
}

// The counters of the official LoadGen's lock-free logger, which this one does not have.
var loggerCounters = [...]string{
	"swap_request_slots_retry_count", "swap_request_slots_retry_retry_count",
	"swap_request_slots_retry_reencounter_count", "start_reading_entries_retry_count",
	"tls_total_log_cas_fail_count", "tls_total_swap_buffers_slot_retry_count",
}

// seriesDone logs the end of a series: power_begin and power_end are its start and its last completion.
func (g *runLog) seriesDone(p *series) {
	for _, c := range loggerCounters {
		g.log("logger_"+c, 0)
	}
	const layout = "01-02-2006 15:04:05.000"
	begin := p.Start.UTC()
	if p.Start.IsZero() { // ended before it began
		begin = time.Now().UTC()
	}
	end := begin.Add(time.Duration(p.end()))
	g.log("power_begin", begin.Format(layout))
	g.log("power_end", end.Format(layout))
	g.flush()
}

// oneLine is text as the detail log holds it: on one line.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// results logs what was measured and judged.
func (g *runLog) results(r *Result) {
	g.log("result_validity", string(r.Verdict))
	for _, c := range shownIn(r) {
		g.log(c.key, *c.met(r))
	}
	if r.Verdict != Valid {
		g.log("result_invalid_reason", invalidReason(r))
	}
	g.earlyStoppingResults(r)
	g.log("result_query_count", r.QueryCount)
	r.kind().results(g, r)
	g.latencies(r.Latency, "", "latency_ns", "percentile_latency_ns")
	r.kind().tokenResults(g, r)
	g.log("num_errors", g.errorCount())
}

func (g *runLog) earlyStoppingResults(r *Result) {
	switch t := r.Tokens; {
	case r.Effective.NoEarlyStopping:
	case t != nil:
		g.log("early_stopping_ttft_result", oneLine(t.TTFT.EarlyStopping.Text))
		g.log("early_stopping_tpot_result", oneLine(t.TPOT.EarlyStopping.Text))
	default:
		g.log("early_stopping_result", oneLine(r.EarlyStopping.Text))
	}
}

// tokenLatencies logs what was measured of tokens, in a token run. Some keys are as odd as the official ones:
// result_token_throughput is in tokens per nanosecond.
func (g *runLog) tokenLatencies(r *Result) {
	t := r.Tokens
	if t == nil {
		return
	}
	g.latencies(t.TTFT.Latency, "first_token_", "latency_ns", "percentile_latency_ns")
	g.log("result_token_throughput_with_loadgen_overhead", t.WithOverhead)
	g.log("result_token_throughput", t.WithoutOverhead/1e9)
	for _, p := range t.TPOT.Latency.Percentiles {
		g.log("result_time_per_output_token_"+fixed2(p.P*100)+"_percentile_ns", p.Latency.Nanoseconds())
	}
	g.log("result_time_to_output_token_min", t.TPOT.Latency.Min.Nanoseconds())
	g.log("result_time_to_output_token_max", t.TPOT.Latency.Max.Nanoseconds())
	g.log("result_time_to_output_token_mean", t.TPOT.Latency.Mean.Nanoseconds())
	g.log("result_completed_tokens_per_second", t.PerSec)
}

func (g *runLog) latencies(l LatencySummary, of, name, percentile string) {
	g.log("result_"+of+"min_"+name, l.Min.Nanoseconds())
	g.log("result_"+of+"max_"+name, l.Max.Nanoseconds())
	g.log("result_"+of+"mean_"+name, l.Mean.Nanoseconds())
	for _, p := range l.Percentiles {
		g.log("result_"+of+fixed2(p.P*100)+"_"+percentile, p.Latency.Nanoseconds())
	}
}

func (g *runLog) errorCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.errors)
}
