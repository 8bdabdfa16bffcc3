package loadgen_test

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// goldenSettings contains a case's settings under their official names. Missing settings have the defaults.
type goldenSettings struct {
	Scenario, Mode string

	SingleStreamExpectedLatencyNS *number `json:"single_stream_expected_latency_ns"`
	SingleStreamPercentile        *number `json:"single_stream_target_latency_percentile"`
	MultiStreamExpectedLatencyNS  *number `json:"multi_stream_expected_latency_ns"`
	MultiStreamPercentile         *number `json:"multi_stream_target_latency_percentile"`
	MultiStreamSamplesPerQuery    *uint64 `json:"multi_stream_samples_per_query"`
	ServerTargetQPS               *number `json:"server_target_qps"`
	ServerTargetLatencyNS         *int64  `json:"server_target_latency_ns"`
	ServerPercentile              *number `json:"server_target_latency_percentile"`
	ServerCoalesceQueries         bool    `json:"server_coalesce_queries"`
	ServerDecimals                *int    `json:"server_find_peak_qps_decimals_of_precision"`
	ServerStep                    *number `json:"server_find_peak_qps_boundary_step_size"`
	ServerMaxAsync                uint64  `json:"server_max_async_queries"`
	ServerThreads                 uint64  `json:"server_num_issue_query_threads"`
	OfflineExpectedQPS            *number `json:"offline_expected_qps"`

	MinDurationMS *int64  `json:"min_duration_ms"`
	MaxDurationMS int64   `json:"max_duration_ms"`
	MinQueryCount *uint64 `json:"min_query_count"`
	MaxQueryCount uint64  `json:"max_query_count"`

	QSLSeed      uint64 `json:"qsl_rng_seed"`
	SampleSeed   uint64 `json:"sample_index_rng_seed"`
	ScheduleSeed uint64 `json:"schedule_rng_seed"`
	LogSeed      uint64 `json:"accuracy_log_rng_seed"`
	LogShare     number `json:"accuracy_log_probability"`
	LogTarget    uint64 `json:"accuracy_log_sampling_target"`

	Test05             bool   `json:"test05"`
	Test05QSLSeed      uint64 `json:"test05_qsl_rng_seed"`
	Test05SampleSeed   uint64 `json:"test05_sample_index_rng_seed"`
	Test05ScheduleSeed uint64 `json:"test05_schedule_rng_seed"`

	PrintTimestamps     bool   `json:"print_timestamps"`
	IssueUnique         bool   `json:"performance_issue_unique"`
	IssueSame           bool   `json:"performance_issue_same"`
	IssueSameIndex      uint64 `json:"performance_issue_same_index"`
	PerformanceOverride uint64 `json:"performance_sample_count_override"`
	AccuracyOverride    uint64 `json:"accuracy_sample_count_override"`
	Concatenate         bool   `json:"sample_concatenate_permutation"`
	UseTokenLatencies   bool   `json:"use_token_latencies"`
	TTFTLatencyNS       *int64 `json:"ttft_latency"`
	TPOTLatencyNS       *int64 `json:"tpot_latency"`
	InferTokens         bool   `json:"infer_token_latencies"`
	TokenScaling        uint64 `json:"token_latency_scaling_factor"`
}

// quoteNonFinite converts Python's form of non-finite numbers to valid JSON.
func quoteNonFinite(text []byte) []byte {
	return nonFinite.ReplaceAll(text, []byte(`$1"$2"`))
}

var nonFinite = regexp.MustCompile(`([:\[,]\s*)(NaN|-?Infinity)\b`)

// number is a number of a case. It may be "NaN".
type number float64

func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	*n = number(v)
	return err
}

// setNumber replaces a default if the case contains a number.
func setNumber(field *float64, value *number) { set(field, (*float64)(value)) }

// set replaces a default if the case contains a value.
func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

func (g goldenSettings) test() loadgen.TestSettings { return g.over(loadgen.DefaultTestSettings()) }

// over returns s with the case's settings.
func (g goldenSettings) over(s loadgen.TestSettings) loadgen.TestSettings {
	s.Scenario, _ = loadgen.ParseScenario(g.Scenario)
	s.Mode, _ = loadgen.ParseMode(g.Mode)
	g.scenarios(&s)
	if g.MinDurationMS != nil {
		s.MinDuration = time.Duration(*g.MinDurationMS) * time.Millisecond
	}
	s.MaxDuration = time.Duration(g.MaxDurationMS) * time.Millisecond
	set(&s.MinQueryCount, g.MinQueryCount)
	s.MaxQueryCount = g.MaxQueryCount
	s.QSLRNGSeed, s.SampleIndexRNGSeed, s.ScheduleRNGSeed = g.QSLSeed, g.SampleSeed, g.ScheduleSeed
	s.AccuracyLogRNGSeed, s.AccuracyLogSamplingTarget = g.LogSeed, g.LogTarget
	s.AccuracyLogProbability = float64(g.LogShare)
	s.Test05, s.Test05QSLRNGSeed = g.Test05, g.Test05QSLSeed
	s.Test05SampleIndexRNGSeed, s.Test05ScheduleRNGSeed = g.Test05SampleSeed, g.Test05ScheduleSeed
	s.PrintTimestamps = g.PrintTimestamps
	s.PerformanceIssueUnique = g.IssueUnique
	s.PerformanceIssueSame, s.PerformanceIssueSameIndex = g.IssueSame, g.IssueSameIndex
	s.PerformanceSampleCountOverride, s.AccuracySampleCountOverride = g.PerformanceOverride, g.AccuracyOverride
	s.SampleConcatenatePermutation = g.Concatenate
	s.UseTokenLatencies = g.UseTokenLatencies
	if g.TTFTLatencyNS != nil {
		s.ServerTTFTLatency = time.Duration(*g.TTFTLatencyNS)
	}
	if g.TPOTLatencyNS != nil {
		s.ServerTPOTLatency = time.Duration(*g.TPOTLatencyNS)
	}
	s.InferTokenLatencies, s.TokenLatencyScalingFactor = g.InferTokens, g.TokenScaling
	return s
}

func (g goldenSettings) scenarios(s *loadgen.TestSettings) {
	if ns := g.SingleStreamExpectedLatencyNS; ns != nil {
		s.SingleStreamExpectedLatency, s.SingleStreamExpectedLatencyFraction = split(float64(*ns))
	}
	if ns := g.MultiStreamExpectedLatencyNS; ns != nil {
		s.MultiStreamExpectedLatency, s.MultiStreamExpectedLatencyFraction = split(float64(*ns))
	}
	setNumber(&s.SingleStreamTargetLatencyPercentile, g.SingleStreamPercentile)
	setNumber(&s.MultiStreamTargetLatencyPercentile, g.MultiStreamPercentile)
	set(&s.MultiStreamSamplesPerQuery, g.MultiStreamSamplesPerQuery)
	setNumber(&s.ServerTargetQPS, g.ServerTargetQPS)
	if g.ServerTargetLatencyNS != nil {
		s.ServerTargetLatency = time.Duration(*g.ServerTargetLatencyNS)
	}
	setNumber(&s.ServerTargetLatencyPercentile, g.ServerPercentile)
	s.ServerCoalesceQueries = g.ServerCoalesceQueries
	set(&s.ServerFindPeakQPSDecimalsOfPrecision, g.ServerDecimals)
	setNumber(&s.ServerFindPeakQPSBoundaryStepSize, g.ServerStep)
	s.ServerMaxAsyncQueries = g.ServerMaxAsync
	s.ServerNumIssueQueryThreads = g.ServerThreads
	setNumber(&s.OfflineExpectedQPS, g.OfflineExpectedQPS)
}

// split returns whole nanoseconds and the fraction.
func split(ns float64) (time.Duration, float64) {
	whole := time.Duration(ns)
	return whole, ns - float64(whole)
}
