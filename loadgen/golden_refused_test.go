package loadgen_test

import (
	"github.com/plumbline-ml/plumbline/loadgen"
)

// refused reports whether ours returns an error for settings with which the official program continues. These are the
// settings of the first table in docs/official-loadgen.md. The library has total samples and loads performance of them
// at a time.
func (g goldenSettings) refused(total, performance int) bool {
	s := g.test()
	if !(s.AccuracyLogProbability >= 0 && s.AccuracyLogProbability <= 1) {
		return true
	}
	return refusedScenario(s) || s.Mode == loadgen.FindPeakPerformance && s.Scenario != loadgen.Server ||
		refusedCounts(s) || refusedIndices(s, uint64(total), uint64(performance))
}

func refusedScenario(s loadgen.TestSettings) bool {
	var rate, percentile float64
	switch s.Scenario {
	case loadgen.SingleStream:
		rate = float64(s.SingleStreamExpectedLatency) + s.SingleStreamExpectedLatencyFraction
		percentile = s.SingleStreamTargetLatencyPercentile
	case loadgen.MultiStream:
		rate = float64(s.MultiStreamExpectedLatency) + s.MultiStreamExpectedLatencyFraction
		percentile = s.MultiStreamTargetLatencyPercentile
	case loadgen.Server:
		rate, percentile = s.ServerTargetQPS, s.ServerTargetLatencyPercentile
	case loadgen.Offline:
		rate, percentile = s.OfflineExpectedQPS, 0.99
	}
	noLimit := s.Scenario == loadgen.Server && s.UseTokenLatencies && min(s.ServerTTFTLatency, s.ServerTPOTLatency) <= 0
	return !(rate > 0 && rate-rate == 0 && percentile > 0 && percentile < 1) || noLimit
}

func refusedCounts(s loadgen.TestSettings) bool {
	threads := s.ServerNumIssueQueryThreads
	shares := s.Scenario == loadgen.Server && (s.MaxQueryCount > 0 && s.MaxQueryCount < threads ||
		s.ServerMaxAsyncQueries > 0 && s.ServerMaxAsyncQueries < threads)
	none := s.MinQueryCount == 0 && s.Mode != loadgen.AccuracyOnly &&
		(s.MinDuration == 0 && !s.PerformanceIssueUnique || s.SampleConcatenatePermutation && s.Scenario == loadgen.Server)
	return shares || none || s.InferTokenLatencies && s.TokenLatencyScalingFactor == 0
}

func refusedIndices(s loadgen.TestSettings, total, performance uint64) bool {
	if s.PerformanceSampleCountOverride > 0 {
		performance = s.PerformanceSampleCountOverride
	}
	unique := s.PerformanceIssueUnique && (s.PerformanceIssueSame ||
		s.SampleConcatenatePermutation && s.Scenario == loadgen.MultiStream && s.Mode != loadgen.AccuracyOnly ||
		s.Scenario == loadgen.Offline && s.Mode != loadgen.AccuracyOnly && performance > total)
	smallest := min(performance, total)
	if s.AccuracySampleCountOverride > 0 {
		total = min(total, s.AccuracySampleCountOverride)
	}
	if rest := total % max(1, performance); rest > 0 && (s.Mode == loadgen.AccuracyOnly ||
		s.Mode == loadgen.SubmissionRun) {
		smallest = min(smallest, rest)
	}
	return unique || s.PerformanceIssueSame && s.PerformanceIssueSameIndex >= smallest
}
