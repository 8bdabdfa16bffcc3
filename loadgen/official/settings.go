//go:build officialloadgen && cgo

package official

/*
#include "shim/shim.h"
*/
import "C"

import (
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// toSettings converts s to the library's settings.
func toSettings(s loadgen.TestSettings) C.official_settings {
	return C.official_settings{
		scenario: C.int64_t(s.Scenario), mode: C.int64_t(s.Mode),
		single_stream_expected_latency_ns: toNanos(s.SingleStreamExpectedLatency,
			s.SingleStreamExpectedLatencyFraction),
		single_stream_target_latency_percentile: C.double(s.SingleStreamTargetLatencyPercentile),
		multi_stream_expected_latency_ns:        toNanos(s.MultiStreamExpectedLatency, s.MultiStreamExpectedLatencyFraction),
		multi_stream_target_latency_percentile:  C.double(s.MultiStreamTargetLatencyPercentile),
		multi_stream_samples_per_query:          C.uint64_t(s.MultiStreamSamplesPerQuery),

		server_target_qps:                          C.double(s.ServerTargetQPS),
		server_target_latency_ns:                   C.uint64_t(s.ServerTargetLatency),
		server_target_latency_percentile:           C.double(s.ServerTargetLatencyPercentile),
		server_coalesce_queries:                    toFlag(s.ServerCoalesceQueries),
		server_find_peak_qps_decimals_of_precision: C.int64_t(s.ServerFindPeakQPSDecimalsOfPrecision),
		server_find_peak_qps_boundary_step_size:    C.double(s.ServerFindPeakQPSBoundaryStepSize),
		server_max_async_queries:                   C.uint64_t(s.ServerMaxAsyncQueries),
		server_num_issue_query_threads:             C.uint64_t(issueThreads(s)),

		offline_expected_qps:           C.double(s.OfflineExpectedQPS),
		sample_concatenate_permutation: toFlag(s.SampleConcatenatePermutation),

		min_duration_ms: toMillis(s.MinDuration), max_duration_ms: toMillis(s.MaxDuration),
		min_query_count: C.uint64_t(s.MinQueryCount), max_query_count: C.uint64_t(s.MaxQueryCount),

		qsl_rng_seed: C.uint64_t(s.QSLRNGSeed), sample_index_rng_seed: C.uint64_t(s.SampleIndexRNGSeed),
		schedule_rng_seed: C.uint64_t(s.ScheduleRNGSeed), accuracy_log_rng_seed: C.uint64_t(s.AccuracyLogRNGSeed),
		accuracy_log_probability:     C.double(s.AccuracyLogProbability),
		accuracy_log_sampling_target: C.uint64_t(s.AccuracyLogSamplingTarget),
		test05:                       toFlag(s.Test05), test05_qsl_rng_seed: C.uint64_t(s.Test05QSLRNGSeed),
		test05_sample_index_rng_seed: C.uint64_t(s.Test05SampleIndexRNGSeed),
		test05_schedule_rng_seed:     C.uint64_t(s.Test05ScheduleRNGSeed),

		print_timestamps: toFlag(s.PrintTimestamps), performance_issue_unique: toFlag(s.PerformanceIssueUnique),
		performance_issue_same:            toFlag(s.PerformanceIssueSame),
		performance_issue_same_index:      C.uint64_t(s.PerformanceIssueSameIndex),
		performance_sample_count_override: C.uint64_t(s.PerformanceSampleCountOverride),
		accuracy_sample_count_override:    C.uint64_t(s.AccuracySampleCountOverride),

		use_token_latencies: toFlag(s.UseTokenLatencies), server_ttft_latency: C.uint64_t(s.ServerTTFTLatency),
		server_tpot_latency: C.uint64_t(s.ServerTPOTLatency), infer_token_latencies: toFlag(s.InferTokenLatencies),
		token_latency_scaling_factor: C.uint64_t(s.TokenLatencyScalingFactor),
	}
}

func toNanos(whole time.Duration, fraction float64) C.double {
	return C.double(float64(whole) + fraction)
}

func toMillis(d time.Duration) C.uint64_t { return C.uint64_t(d.Milliseconds()) }
