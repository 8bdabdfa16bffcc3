package loadgen

import (
	"math"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// qslCounts contains the counts that a QSL reports.
type qslCounts struct{ total, performance int }

// applyTest05 applies test05: performance mode with the three other seeds.
func applyTest05(s TestSettings) TestSettings {
	if s.Test05 {
		s.Mode = PerformanceOnly
		s.QSLRNGSeed = s.Test05QSLRNGSeed
		s.SampleIndexRNGSeed = s.Test05SampleIndexRNGSeed
		s.ScheduleRNGSeed = s.Test05ScheduleRNGSeed
	}
	return s
}

// effectiveSettings applies the scenario's rules to the requested settings.
func effectiveSettings(s TestSettings, q qslCounts) EffectiveSettings {
	e := EffectiveSettings{
		Scenario:               s.Scenario,
		Mode:                   s.Mode,
		SamplesPerQuery:        1,
		MaxAsyncQueries:        1,
		NoEarlyStopping:        s.NoEarlyStopping,
		TargetDuration:         s.MinDuration,
		MinDuration:            s.MinDuration,
		MaxDuration:            s.MaxDuration,
		MinQueryCount:          s.MinQueryCount,
		MaxQueryCount:          s.MaxQueryCount,
		QSLRNGSeed:             s.QSLRNGSeed,
		SampleIndexRNGSeed:     s.SampleIndexRNGSeed,
		ScheduleRNGSeed:        s.ScheduleRNGSeed,
		AccuracyLogRNGSeed:     s.AccuracyLogRNGSeed,
		PerformanceSampleCount: overrideOr(s.PerformanceSampleCountOverride, q.performance),
		AccuracySampleCount:    overrideOr(s.AccuracySampleCountOverride, q.total),
	}
	s.Scenario.kindOf().effective(&e, s, q)
	e.MinSampleCount = e.MinQueryCount * e.SamplesPerQuery
	return e
}

func overrideOr(override uint64, count int) uint64 {
	if override > 0 {
		return override
	}
	return uint64(count)
}

// issuesLoadedCount reports whether a performance series has as many samples as are loaded, regardless of the settings'
// counts and durations.
func (s TestSettings) issuesLoadedCount() bool {
	return s.PerformanceIssueUnique || s.PerformanceIssueSame && s.IssueSameLoaded
}

// minSeconds returns the minimum duration in seconds.
func minSeconds(s TestSettings) float64 { return float64(s.MinDuration) / 1e6 / 1000 }

// truncateToCount truncates v, which must not be negative, to an integer. If v is too large, it returns math.MaxInt64.
func truncateToCount(v float64) uint64 {
	if v < math.MaxInt64 {
		return uint64(v)
	}
	return math.MaxInt64
}

// accuracySamples returns the maximum number of samples that the accuracy mode issues.
func accuracySamples(e EffectiveSettings, q qslCounts) uint64 {
	n := min(e.AccuracySampleCount, uint64(q.total))
	sets := (n + e.PerformanceSampleCount - 1) / e.PerformanceSampleCount
	return n + sets*e.Scenario.kindOf().padding(e)
}

// seriesParams returns the parameters of one series over set.
func seriesParams(s TestSettings, e EffectiveSettings, set schedule.Set, accuracy bool) schedule.Params {
	return schedule.Params{
		Scenario:        schedule.Scenario(e.Scenario),
		Accuracy:        accuracy,
		Set:             set,
		SamplesPerQuery: e.SamplesPerQuery,
		QPS:             e.TargetQPS,
		MinDuration:     int64(e.TargetDuration),
		MinQueries:      e.MinQueryCount,
		SampleSeed:      e.SampleIndexRNGSeed,
		ScheduleSeed:    e.ScheduleRNGSeed,
		LoadedOnce:      s.issuesLoadedCount(),
		IssueUnique:     s.PerformanceIssueUnique,
		IssueSame:       s.PerformanceIssueSame,
		SameIndex:       s.PerformanceIssueSameIndex,
		EqualIssue:      s.SampleConcatenatePermutation,
		Older:           s.OlderSampleOrder,
	}
}

// logProbability returns the share of answers that the accuracy log contains in performance mode.
func logProbability(s TestSettings, e EffectiveSettings) float64 {
	if s.AccuracyLogSamplingTarget == 0 {
		return s.AccuracyLogProbability
	}
	expected := e.Scenario.kindOf().expectedSamples(e)
	return float64(s.AccuracyLogSamplingTarget) / float64(max(expected, e.MinSampleCount))
}

// expectedQueries returns the number of queries at the target rate in the minimum duration.
func expectedQueries(e EffectiveSettings) uint64 {
	return truncateToCount(e.TargetQPS * (float64(e.MinDuration) / 1e6) / 1000)
}

// sampleIndices converts a set to the form of the QSL.
func sampleIndices(set schedule.Set) []SampleIndex {
	out := make([]SampleIndex, len(set.Loaded))
	for i, v := range set.Loaded {
		out[i] = SampleIndex(v)
	}
	return out
}
