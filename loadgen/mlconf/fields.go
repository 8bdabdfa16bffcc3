package mlconf

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Field describes one setting: how configuration files write it and what it means.
type Field struct {
	Name     string // the field of loadgen.TestSettings
	Official string // the official LoadGen's name of it
	// Key is the last part of a configuration key; empty where no configuration file can set the field.
	// An [Override] of such a field uses Official as its key.
	Key string
	// Scenario is the scenario under whose name the key is read; empty: under that of the run.
	Scenario string
	Unit     string // of the value in files: "ms", "%", "queries/s", "samples", ...; empty for numbers and switches
	Doc      string
	// RulesOnly fields come from the rules' defaults; in a user.conf they are an error (the official LoadGen ignores them).
	RulesOnly bool

	kind kind
	at   func(*loadgen.TestSettings) any
}

// kind says how the official LoadGen turns a number into the setting.
type kind int

const (
	count       kind = iota // unsigned integer
	number                  // double
	percent                 // double, times 0.01
	millis                  // integer milliseconds
	fracMillis              // double milliseconds
	tokenMillis             // integer milliseconds, ignored unless token latencies are on
	boolean                 // anything but 0 is on
	exactlyOne              // 1 is on, everything else off
	mode                    // 0 to 3, others are ignored
	small                   // int
)

type (
	settings = loadgen.TestSettings
	target   = func(*settings) any
)

// Fields lists all settings in the order of TestSettings.
func Fields() []Field {
	const ss, ms, sv, off = "SingleStream", "MultiStream", "Server", "Offline"
	return []Field{
		{"Mode", "mode", "mode", "", "", "what the test does: 0 SubmissionRun, 1 AccuracyOnly, 2 PerformanceOnly, 3 FindPeakPerformance", false,
			mode, func(s *settings) any { return &s.Mode }},
		{"SingleStreamExpectedLatency", "single_stream_expected_latency_ns", "target_latency", ss, "ms", "expected latency of a query: how many queries are generated follows from it", false,
			fracMillis, func(s *settings) any { return &s.SingleStreamExpectedLatency }},
		{"SingleStreamTargetLatencyPercentile", "single_stream_target_latency_percentile", "target_latency_percentile", ss, "%", "percentile that is the result", false,
			percent, func(s *settings) any { return &s.SingleStreamTargetLatencyPercentile }},
		{"MultiStreamExpectedLatency", "multi_stream_expected_latency_ns", "target_latency", ms, "ms", "expected latency of a whole query: how many queries are generated follows from it", false,
			fracMillis, func(s *settings) any { return &s.MultiStreamExpectedLatency }},
		{"MultiStreamTargetLatencyPercentile", "multi_stream_target_latency_percentile", "target_latency_percentile", ms, "%", "percentile that is the result", false,
			percent, func(s *settings) any { return &s.MultiStreamTargetLatencyPercentile }},
		{"MultiStreamSamplesPerQuery", "multi_stream_samples_per_query", "samples_per_query", ms, "samples", "samples of a query", false,
			count, func(s *settings) any { return &s.MultiStreamSamplesPerQuery }},
		{"ServerTargetQPS", "server_target_qps", "target_qps", sv, "queries/s", "average rate of the queries' arrival", false,
			number, func(s *settings) any { return &s.ServerTargetQPS }},
		{"ServerTargetLatency", "server_target_latency_ns", "target_latency", sv, "ms", "limit of the latency at the target percentile", false,
			millis, func(s *settings) any { return &s.ServerTargetLatency }},
		{"ServerTargetLatencyPercentile", "server_target_latency_percentile", "target_latency_percentile", sv, "%", "percentile that the latency limit holds for", false,
			percent, func(s *settings) any { return &s.ServerTargetLatencyPercentile }},
		{"ServerCoalesceQueries", "server_coalesce_queries", "coalesce_queries", sv, "", "pass all queries that are due in one call", false,
			boolean, func(s *settings) any { return &s.ServerCoalesceQueries }},
		{"ServerFindPeakQPSDecimalsOfPrecision", "server_find_peak_qps_decimals_of_precision", "", sv, "", "FindPeakPerformance: decimals of the found rate", false,
			small, func(s *settings) any { return &s.ServerFindPeakQPSDecimalsOfPrecision }},
		{"ServerFindPeakQPSBoundaryStepSize", "server_find_peak_qps_boundary_step_size", "", sv, "", "FindPeakPerformance: growth of the rate while the upper bound is sought", false,
			number, func(s *settings) any { return &s.ServerFindPeakQPSBoundaryStepSize }},
		{"ServerMaxAsyncQueries", "server_max_async_queries", "max_async_queries", sv, "queries", "queries that may be outstanding; 0: no limit", false,
			count, func(s *settings) any { return &s.ServerMaxAsyncQueries }},
		{"ServerNumIssueQueryThreads", "server_num_issue_query_threads", "", sv, "threads", "threads that issue queries; 0: one of LoadGen's own", false,
			count, func(s *settings) any { return &s.ServerNumIssueQueryThreads }},
		{"OfflineExpectedQPS", "offline_expected_qps", "target_qps", off, "samples/s", "expected rate: the size of the query follows from it", false,
			number, func(s *settings) any { return &s.OfflineExpectedQPS }},
		{"MinDuration", "min_duration_ms", "min_duration", "", "ms", "least duration of a valid run", false,
			millis, func(s *settings) any { return &s.MinDuration }},
		{"MaxDuration", "max_duration_ms", "max_duration", "", "ms", "duration after which a run is stopped; 0: no limit", false,
			millis, func(s *settings) any { return &s.MaxDuration }},
		{"MinQueryCount", "min_query_count", "min_query_count", "", "queries", "least number of queries of a valid run (Offline: samples)", false,
			count, func(s *settings) any { return &s.MinQueryCount }},
		{"MaxQueryCount", "max_query_count", "max_query_count", "", "queries", "number of queries after which a run is stopped; 0: no limit", false,
			count, func(s *settings) any { return &s.MaxQueryCount }},
		{"QSLRNGSeed", "qsl_rng_seed", "qsl_rng_seed", "", "", "seed of the choice of samples to load", true,
			count, func(s *settings) any { return &s.QSLRNGSeed }},
		{"SampleIndexRNGSeed", "sample_index_rng_seed", "sample_index_rng_seed", "", "", "seed of the order of samples", true,
			count, func(s *settings) any { return &s.SampleIndexRNGSeed }},
		{"ScheduleRNGSeed", "schedule_rng_seed", "schedule_rng_seed", "", "", "seed of the arrival times", true,
			count, func(s *settings) any { return &s.ScheduleRNGSeed }},
		{"AccuracyLogRNGSeed", "accuracy_log_rng_seed", "accuracy_log_rng_seed", "", "", "seed of the choice of responses to log in performance mode", false,
			count, func(s *settings) any { return &s.AccuracyLogRNGSeed }},
		{"AccuracyLogProbability", "accuracy_log_probability", "accuracy_log_probability", "", "%", "share of the responses to log in performance mode", true,
			percent, func(s *settings) any { return &s.AccuracyLogProbability }},
		{"AccuracyLogSamplingTarget", "accuracy_log_sampling_target", "accuracy_log_sampling_target", "", "samples", "expected number of responses to log in performance mode; 0: by probability", false,
			count, func(s *settings) any { return &s.AccuracyLogSamplingTarget }},
		{"Test05", "test05", "test05", "", "", "run with the test05 seeds instead", true,
			boolean, func(s *settings) any { return &s.Test05 }},
		{"Test05QSLRNGSeed", "test05_qsl_rng_seed", "test05_qsl_rng_seed", "", "", "qsl_rng_seed of test05", true,
			count, func(s *settings) any { return &s.Test05QSLRNGSeed }},
		{"Test05SampleIndexRNGSeed", "test05_sample_index_rng_seed", "test05_sample_index_rng_seed", "", "", "sample_index_rng_seed of test05", true,
			count, func(s *settings) any { return &s.Test05SampleIndexRNGSeed }},
		{"Test05ScheduleRNGSeed", "test05_schedule_rng_seed", "test05_schedule_rng_seed", "", "", "schedule_rng_seed of test05", true,
			count, func(s *settings) any { return &s.Test05ScheduleRNGSeed }},
		{"PrintTimestamps", "print_timestamps", "print_timestamps", "", "", "print the progress of Server runs", false,
			boolean, func(s *settings) any { return &s.PrintTimestamps }},
		{"PerformanceIssueUnique", "performance_issue_unique", "performance_issue_unique", "", "", "issue each loaded sample once (audits)", false,
			boolean, func(s *settings) any { return &s.PerformanceIssueUnique }},
		{"PerformanceIssueSame", "performance_issue_same", "performance_issue_same", "", "", "issue one sample again and again (audits)", false,
			boolean, func(s *settings) any { return &s.PerformanceIssueSame }},
		{"PerformanceIssueSameIndex", "performance_issue_same_index", "performance_issue_same_index", "", "", "position in the loaded set of the sample of performance_issue_same", false,
			count, func(s *settings) any { return &s.PerformanceIssueSameIndex }},
		{"PerformanceSampleCountOverride", "performance_sample_count_override", "performance_sample_count_override", "", "samples", "samples to load in performance mode; 0: what the QSL reports", false,
			count, func(s *settings) any { return &s.PerformanceSampleCountOverride }},
		{"AccuracySampleCountOverride", "accuracy_sample_count_override", "accuracy_sample_count_override", "", "samples", "samples of accuracy mode; 0: all", false,
			count, func(s *settings) any { return &s.AccuracySampleCountOverride }},
		{"SampleConcatenatePermutation", "sample_concatenate_permutation", "sample_concatenate_permutation", "", "", "equal issue: every loaded sample equally often", false,
			exactlyOne, func(s *settings) any { return &s.SampleConcatenatePermutation }},
		{"UseTokenLatencies", "use_token_latencies", "use_token_latencies", "", "", "measure first tokens and tokens", false,
			exactlyOne, func(s *settings) any { return &s.UseTokenLatencies }},
		{"ServerTTFTLatency", "ttft_latency", "ttft_latency", sv, "ms", "limit of the time to the first token", false,
			tokenMillis, func(s *settings) any { return &s.ServerTTFTLatency }},
		{"ServerTPOTLatency", "tpot_latency", "tpot_latency", sv, "ms", "limit of the time per output token", false,
			tokenMillis, func(s *settings) any { return &s.ServerTPOTLatency }},
		{"InferTokenLatencies", "infer_token_latencies", "infer_token_latencies", "", "", "report tokens from a fixed number per sample", false,
			boolean, func(s *settings) any { return &s.InferTokenLatencies }},
		{"TokenLatencyScalingFactor", "token_latency_scaling_factor", "token_latency_scaling_factor", "", "tokens", "that number", false,
			count, func(s *settings) any { return &s.TokenLatencyScalingFactor }},
	}
}

// Text is the field's value in s as a configuration file writes it, in Unit.
func (f Field) Text(s loadgen.TestSettings) string {
	switch p := f.at(&s).(type) {
	case *uint64:
		return strconv.FormatUint(*p, 10)
	case *int:
		return strconv.Itoa(*p)
	case *bool:
		if *p {
			return "1"
		}
		return "0"
	case *loadgen.Mode:
		return strconv.Itoa(int(*p))
	case *time.Duration:
		return strconv.FormatFloat((float64(*p)+f.fraction(&s))/1e6, 'f', -1, 64)
	case *float64:
		if f.kind == percent {
			return strconv.FormatFloat(math.Round(*p*1e14)/1e12, 'f', -1, 64)
		}
		return strconv.FormatFloat(*p, 'f', -1, 64)
	}
	panic(fmt.Sprintf("mlconf: field %s has no text form", f.Name))
}

// Applies says whether the field means something in a run of scenario.
func (f Field) Applies(scenario loadgen.Scenario) bool {
	return f.Scenario == "" || f.Scenario == scenario.String() || f.kind == tokenMillis && scenario != loadgen.Offline
}

// fraction is the part of an expected latency below a nanosecond.
func (f Field) fraction(s *settings) float64 {
	if p := f.fractionAt(s); p != nil {
		return *p
	}
	return 0
}

func (f Field) fractionAt(s *settings) *float64 {
	switch f.at(s) {
	case any(&s.SingleStreamExpectedLatency):
		return &s.SingleStreamExpectedLatencyFraction
	case any(&s.MultiStreamExpectedLatency):
		return &s.MultiStreamExpectedLatencyFraction
	}
	return nil
}

// set stores a value as the official LoadGen does: what it ignores changes nothing, and set says so.
func (f Field) set(s *settings, v value) (changed bool) {
	if f.kind == tokenMillis && !s.UseTokenLatencies {
		return false
	}
	switch p := f.at(s).(type) {
	case *uint64:
		*p = v.integer
	case *int:
		*p = int(v.integer)
	case *bool:
		*p = v.integer == 1 || f.kind == boolean && v.integer != 0
	case *loadgen.Mode:
		if v.integer > uint64(loadgen.FindPeakPerformance) {
			return false
		}
		*p = loadgen.Mode(v.integer)
	case *float64:
		*p = v.double
		if f.kind == percent {
			*p = v.double * 0.01
		}
	case *time.Duration:
		f.setDuration(s, p, v)
	}
	return true
}

func (f Field) setDuration(s *settings, p *time.Duration, v value) {
	if f.kind != fracMillis {
		*p = time.Duration(v.integer * uint64(time.Millisecond))
		return
	}
	whole, fraction := math.Modf(v.double * 1e6)
	*p, *f.fractionAt(s) = time.Duration(whole), fraction
}
