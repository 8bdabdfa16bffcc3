package loadgen_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		name     string
		scenario loadgen.Scenario
		change   func(*loadgen.TestSettings)
		says     string
	}{
		{"scenario", loadgen.Scenario(9), nil, "scenario = Scenario(9)"},
		{"mode", loadgen.Server, func(s *loadgen.TestSettings) { s.Mode = 17 }, "mode = Mode(17)"},
		{"expected latency", loadgen.SingleStream, func(s *loadgen.TestSettings) { s.SingleStreamExpectedLatency = 0 },
			"single_stream_expected_latency = 0"},
		{"negative latency", loadgen.MultiStream, func(s *loadgen.TestSettings) { s.MultiStreamExpectedLatency = -1 },
			"multi_stream_expected_latency = -1"},
		{"part of a nanosecond", loadgen.SingleStream,
			func(s *loadgen.TestSettings) { s.SingleStreamExpectedLatencyFraction = math.NaN() },
			"single_stream_expected_latency_fraction = NaN"},
		{"more than a nanosecond", loadgen.MultiStream,
			func(s *loadgen.TestSettings) { s.MultiStreamExpectedLatencyFraction = 1 },
			"multi_stream_expected_latency_fraction = 1"},
		{"percentile is not a number", loadgen.Server,
			func(s *loadgen.TestSettings) { s.ServerTargetLatencyPercentile = math.NaN() },
			"server_target_latency_percentile = NaN"},
		{"no limit for the first token", loadgen.Server,
			func(s *loadgen.TestSettings) { s.UseTokenLatencies, s.ServerTTFTLatency = true, -1 }, "ttft_latency = -1ns"},
		{"percentile", loadgen.SingleStream, func(s *loadgen.TestSettings) { s.SingleStreamTargetLatencyPercentile = 90 },
			"want a fraction between 0 and 1"},
		{"samples per query", loadgen.MultiStream, func(s *loadgen.TestSettings) { s.MultiStreamSamplesPerQuery = 0 },
			"multi_stream_samples_per_query = 0"},
		{"no rate", loadgen.Server, func(s *loadgen.TestSettings) { s.ServerTargetQPS = 0 }, "server_target_qps = 0"},
		{"rate is not a number",
			loadgen.Server, func(s *loadgen.TestSettings) { s.ServerTargetQPS = math.NaN() }, "server_target_qps = NaN"},
		{"infinite rate", loadgen.Offline, func(s *loadgen.TestSettings) { s.OfflineExpectedQPS = math.Inf(1) },
			"offline_expected_qps = +Inf"},
		{"negative latency limit with tokens", loadgen.Server,
			func(s *loadgen.TestSettings) { s.UseTokenLatencies, s.ServerTargetLatency = true, -1 },
			"server_target_latency = -1ns"},
		{"latency limit", loadgen.Server, func(s *loadgen.TestSettings) { s.ServerTargetLatency = 0 },
			"server_target_latency = 0s"},
		{"nothing to issue", loadgen.SingleStream, func(s *loadgen.TestSettings) { s.MinQueryCount = 0 },
			"no query would be issued"},
		{"nothing to issue Offline",
			loadgen.Offline, func(s *loadgen.TestSettings) { s.MinQueryCount = 0 }, "no query would be issued"},
		{"equal issue of none", loadgen.Server, func(s *loadgen.TestSettings) {
			s.MinQueryCount, s.MinDuration, s.SampleConcatenatePermutation = 0, time.Second, true
		}, "sample_concatenate_permutation"},
		{"equal and unique", loadgen.MultiStream, func(s *loadgen.TestSettings) {
			s.PerformanceIssueUnique, s.SampleConcatenatePermutation = true, true
		}, "exclude each other"},
		{"unique and same", loadgen.Server, func(s *loadgen.TestSettings) {
			s.PerformanceIssueUnique, s.PerformanceIssueSame = true, true
		}, "exclude each other"},
		{"unique of more than there are", loadgen.Offline, func(s *loadgen.TestSettings) {
			s.PerformanceIssueUnique, s.PerformanceSampleCountOverride = true, 101
		}, "asks for 101 different samples"},
		{"same index", loadgen.Server, func(s *loadgen.TestSettings) {
			s.PerformanceIssueSame, s.PerformanceIssueSameIndex = true, 30
		}, "performance_issue_same_index = 30, want less than 30"},
		{"same index in the last set", loadgen.Server, func(s *loadgen.TestSettings) {
			s.Mode, s.PerformanceIssueSame, s.PerformanceIssueSameIndex = loadgen.SubmissionRun, true, 10
		}, "performance_issue_same_index = 10, want less than 10"},
		{"probability", loadgen.Server, func(s *loadgen.TestSettings) { s.AccuracyLogProbability = math.NaN() },
			"accuracy_log_probability = NaN"},
		{"negative duration",
			loadgen.Server, func(s *loadgen.TestSettings) { s.MinDuration = -time.Second }, "min_duration = -1s"},
		{"centuries", loadgen.SingleStream, func(s *loadgen.TestSettings) { s.MinDuration = math.MaxInt64 },
			"min_duration = 2562047h"},
		{"wide queries", loadgen.MultiStream, func(s *loadgen.TestSettings) {
			s.Mode, s.MultiStreamSamplesPerQuery = loadgen.AccuracyOnly, 1<<31
		}, "at most 4294967295"},
		{"negative limit", loadgen.Server, func(s *loadgen.TestSettings) { s.MaxDuration = -time.Second },
			"max_duration = -1s"},
		{"too many queries", loadgen.Server, func(s *loadgen.TestSettings) { s.MinQueryCount = 1 << 40 },
			"1099511627776 queries"},
		{"too many samples", loadgen.Offline,
			func(s *loadgen.TestSettings) { s.MinDuration, s.OfflineExpectedQPS = time.Hour, 1e30 }, "at most 4294967295"},
		{"too many in both parts", loadgen.Offline, func(s *loadgen.TestSettings) {
			s.Mode, s.MinQueryCount = loadgen.SubmissionRun, 1<<32-50
		}, "at most 4294967295"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := quick(c.scenario, loadgen.PerformanceOnly)
			if c.change != nil {
				c.change(&s)
			}
			refused(t, loadgentest.QSL{Total: 100, Performance: 30}, s, loadgen.ErrBadSettings, c.says)
		})
	}
}

// refused requires an error before anything is written or called.
func refused(t *testing.T, qsl loadgen.QSL, s loadgen.TestSettings, want error, says string) {
	t.Helper()
	sut := &loadgentest.Script{}
	r, err := loadgen.StartTest(t.Context(), sut, qsl, s, loadgen.LogSettings{})
	if !errors.Is(err, want) || r != nil {
		t.Fatalf("result %v, error %v, want %v", r, err, want)
	}
	if !strings.Contains(err.Error(), says) {
		t.Errorf("error %q does not say %q", err, says)
	}
	if len(sut.Queries()) > 0 {
		t.Error("queries were issued")
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	s := quick(loadgen.Server, 12)
	s.ServerTargetQPS, s.ServerTargetLatencyPercentile, s.MinDuration = -1, 2, -1
	_, err := loadgen.StartTest(t.Context(), &loadgentest.Script{}, loadgentest.QSL{}, s, loadgen.LogSettings{})
	if !errors.Is(err, loadgen.ErrBadSettings) || !errors.Is(err, loadgen.ErrBadQSL) {
		t.Fatalf("error %v, want ErrBadSettings and ErrBadQSL", err)
	}
	for _, says := range []string{"4 faults", "mode = ", "server_target_qps = -1", "percentile = 2", "min_duration",
		"TotalSampleCount() = 0"} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("error %q does not say %q", err, says)
		}
	}
}

func TestBadQSL(t *testing.T) {
	s := quick(loadgen.SingleStream, loadgen.PerformanceOnly)
	refused(t, loadgentest.QSL{Total: 0, Performance: 5}, s, loadgen.ErrBadQSL, "TotalSampleCount() = 0")
	refused(t, loadgentest.QSL{Total: 1 << 33}, s, loadgen.ErrBadQSL, "TotalSampleCount() = 8589934592")
	refused(t, loadgentest.QSL{Total: 9, Performance: -1}, s, loadgen.ErrBadQSL, "PerformanceSampleCount() = -1")
}

func TestNothingToTest(t *testing.T) {
	_, err := loadgen.StartTest(t.Context(), nil, nil, loadgen.DefaultTestSettings(), loadgen.LogSettings{})
	if !errors.Is(err, loadgen.ErrBadSettings) || !errors.Is(err, loadgen.ErrBadQSL) {
		t.Errorf("error %v for no SUT and no QSL", err)
	}
}
