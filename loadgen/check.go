package loadgen

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// faults collects everything that is wrong with an input.
type faults []string

// need adds a fault unless ok.
func (f *faults) need(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// err is nil without faults, else one error under kind that lists them.
func (f faults) err(kind error) error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%w: %s", kind, f[0])
	}
	return fmt.Errorf("%w: %d faults:\n  %s", kind, len(f), strings.Join(f, "\n  "))
}

// checkSettings lists the faults of s that show without a QSL.
func checkSettings(s TestSettings) error {
	var f faults
	if k := s.Scenario.kind(); k != nil {
		k.check(&f, s)
	} else {
		f.need(false, "scenario = %v, want one of %s", s.Scenario, strings.Join(scenarioNames[:], ", "))
	}
	f.mode(s)
	f.limits(s)
	f.need(!s.InferTokenLatencies || s.TokenLatencyScalingFactor > 0,
		"token_latency_scaling_factor = 0 with infer_token_latencies: set it to the number of tokens that a sample stands for")
	f.need(!s.NoEarlyStopping || !s.UseTokenLatencies, "no_early_stopping with use_token_latencies: no round has token latencies without early stopping")
	return f.err(ErrBadSettings)
}

// positive wants a finite value above 0. (The official program takes an infinite gap between queries for a time when
// target_qps is 0, and runs at 1 query per second when it is negative.)
func (f *faults) positive(name string, v float64) {
	f.need(v > 0 && !math.IsInf(v, 1), "%s = %v, want a finite value above 0", name, v)
}

func (f *faults) fraction(name string, v float64) {
	f.need(v > 0 && v < 1, "%s = %v, want a fraction between 0 and 1, such as 0.99", name, v)
}

// belowOne is for the part of a time below one nanosecond.
func (f *faults) belowOne(name string, v float64) {
	f.need(v >= 0 && v < 1, "%s = %v, want a part of a nanosecond: 0 or more and less than 1", name, v)
}

func (f *faults) mode(s TestSettings) {
	f.need(s.Mode >= SubmissionRun && s.Mode <= FindPeakPerformance,
		"mode = %v, want one of %s", s.Mode, strings.Join(modeNames[:], ", "))
	f.need(s.Mode != FindPeakPerformance || s.Scenario == Server,
		"mode = FindPeakPerformance in %v: it searches for the highest server_target_qps and works in Server only", s.Scenario)
	f.need(!s.PerformanceIssueUnique || !s.PerformanceIssueSame,
		"performance_issue_unique and performance_issue_same exclude each other: set one of them")
	f.need(!s.PerformanceIssueUnique || !s.SampleConcatenatePermutation || s.Scenario != MultiStream || s.Mode == AccuracyOnly,
		"performance_issue_unique and sample_concatenate_permutation exclude each other in MultiStream, where equal issue needs more queries than there are different ones")
}

// longestTest bounds the minimum duration, so that times of a schedule cannot overflow.
const longestTest = 365 * 24 * time.Hour

func (f *faults) limits(s TestSettings) {
	f.need(s.MinDuration >= 0 && s.MinDuration <= longestTest, "min_duration = %v, want 0 to %v", s.MinDuration, longestTest)
	f.need(s.MaxDuration >= 0, "max_duration = %v, want 0 (no limit) or more", s.MaxDuration)
	f.need(s.MinQueryCount > 0 || s.MinDuration > 0 || s.Mode == AccuracyOnly || s.PerformanceIssueUnique || f.equalStream(s),
		"min_query_count and min_duration are both 0, so that no query would be issued: raise one of them")
	f.need(s.MinQueryCount > 0 || !s.SampleConcatenatePermutation || s.Scenario == Offline || f.equalStream(s) || s.Scenario == MultiStream,
		"min_query_count = 0 with sample_concatenate_permutation: issuing every sample equally often needs a count of at least 1")
	f.need(s.AccuracyLogProbability >= 0 && s.AccuracyLogProbability <= 1,
		"accuracy_log_probability = %v, want a fraction from 0 to 1", s.AccuracyLogProbability)
}

// equalStream says that min_query_count will be raised to whole passes over the samples.
func (*faults) equalStream(s TestSettings) bool {
	return s.Scenario == SingleStream && s.SampleConcatenatePermutation
}

// checkQSLCounts lists the faults of what the library reports.
func checkQSLCounts(q qslCounts) error {
	var f faults
	f.need(q.total >= 1 && uint64(q.total) <= schedule.MaxSamples,
		"TotalSampleCount() = %d, want 1 to %d", q.total, uint64(schedule.MaxSamples))
	f.need(q.performance >= 1, "PerformanceSampleCount() = %d, want 1 or more", q.performance)
	return f.err(ErrBadQSL)
}

// checkFit checks what the settings ask for against the samples there are. Settings and counts are good by themselves.
func checkFit(s TestSettings, e EffectiveSettings, q qslCounts) error {
	var f faults
	f.need(!s.PerformanceIssueSame || s.PerformanceIssueSameIndex < smallestSet(e, q),
		"performance_issue_same_index = %d, want less than %d, the samples of the smallest loaded set", s.PerformanceIssueSameIndex, smallestSet(e, q))
	f.need(!s.PerformanceIssueUnique || s.Scenario != Offline || s.Mode == AccuracyOnly || e.PerformanceSampleCount <= uint64(q.total),
		"performance_issue_unique asks for %d different samples, but the QSL has %d: lower performance_sample_count_override", e.PerformanceSampleCount, q.total)
	f.traffic(s, e, q)
	return f.err(ErrBadSettings)
}

// smallestSet is the size, without padding, of the smallest set that the mode loads.
func smallestSet(e EffectiveSettings, q qslCounts) uint64 {
	smallest := min(e.PerformanceSampleCount, uint64(q.total))
	if e.Mode == PerformanceOnly || e.Mode == FindPeakPerformance {
		return smallest
	}
	all := min(e.AccuracySampleCount, uint64(q.total))
	if rest := all % e.PerformanceSampleCount; rest != 0 {
		return min(smallest, rest)
	}
	return smallest
}

// traffic checks that the series can be generated and that ids are left for all their samples.
func (f *faults) traffic(s TestSettings, e EffectiveSettings, q qslCounts) {
	if len(*f) > 0 {
		return
	}
	var samples uint64
	if e.Mode != AccuracyOnly {
		samples = f.performance(s, e, q)
	}
	if e.Mode == AccuracyOnly || e.Mode == SubmissionRun {
		samples += accuracySamples(e, q)
	}
	f.need(samples <= schedule.MaxSamples, "the test would issue %d samples, at most %d are possible: lower min_query_count, min_duration or samples_per_query",
		samples, uint64(schedule.MaxSamples))
}

// performance returns how many samples the performance series issues.
func (f *faults) performance(s TestSettings, e EffectiveSettings, q qslCounts) uint64 {
	p := seriesParams(s, e, schedule.Set{Size: int(min(e.PerformanceSampleCount, uint64(q.total)))}, false)
	queries, err := schedule.Count(p)
	if err != nil {
		f.need(false, "%s", strings.TrimPrefix(err.Error(), schedule.ErrTooMuch.Error()+": "))
		return 0
	}
	samples := queries * p.SamplesPerQuery
	f.need(samples > 0, "no sample would be issued: raise min_query_count, or min_duration or the expected rate")
	return samples
}

// checkParts tells what is missing altogether.
func checkParts(sut SUT, qsl QSL) error {
	var errs []error
	if sut == nil {
		errs = append(errs, fmt.Errorf("%w: no SUT given", ErrBadSettings))
	}
	if qsl == nil {
		errs = append(errs, fmt.Errorf("%w: no QSL given", ErrBadQSL))
	}
	return errors.Join(errs...)
}
